"""An agent made with the A2A SDK for Python: it speaks 1.0, and 0.3 to those who ask in it."""

import asyncio
import sys

import httpx
import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette

port = int(sys.argv[1])
url = f'http://127.0.0.1:{port}/'


class Executor(AgentExecutor):
    async def execute(self, context, event_queue):
        text = context.get_user_input()
        if text.startswith('say '):
            await event_queue.enqueue_event(new_text_message(text[4:]))
            return
        task = context.current_task
        answered = task is not None
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        if text == 'ask' and not answered:
            await updater.requires_input(new_text_message('which city?'))
            return
        await updater.start_work(new_text_message('on it'))
        if text == 'wait':
            await asyncio.Event().wait()
        if text == 'later':
            await asyncio.sleep(1)
        if text == 'fail':
            await updater.failed(new_text_message('it broke'))
            return
        said = f'city: {text}' if answered else text.upper()
        half = len(said) // 2
        await updater.add_artifact([new_text_part(said[:half])], artifact_id='a', append=False, last_chunk=False)
        await updater.add_artifact([new_text_part(said[half:])], artifact_id='a', append=True, last_chunk=True)
        await updater.complete()

    async def cancel(self, context, event_queue):
        task = context.current_task
        await TaskUpdater(event_queue, task.id, task.context_id).cancel()


card = AgentCard(
    name='python',
    description='made with the SDK',
    version='1',
    capabilities=AgentCapabilities(streaming=True, push_notifications=True),
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    skills=[AgentSkill(id='upper', name='upper', description='upper', tags=['text'])],
    supported_interfaces=[
        AgentInterface(url=url, protocol_binding='JSONRPC', protocol_version='1.0'),
        AgentInterface(url=url, protocol_binding='JSONRPC', protocol_version='0.3'),
    ],
)
pushes = InMemoryPushNotificationConfigStore()
handler = DefaultRequestHandler(
    agent_executor=Executor(),
    task_store=InMemoryTaskStore(),
    agent_card=card,
    push_config_store=pushes,
    push_sender=BasePushNotificationSender(httpx.AsyncClient(), pushes),
)
routes = create_agent_card_routes(card) + create_jsonrpc_routes(handler, '/', enable_v0_3_compat=True)
uvicorn.run(Starlette(routes=routes), host='127.0.0.1', port=port, log_level='info')
