"""What the player does when it is asked: replace this file with your own play."""


def choose(game_type, context, chance):
    """The move_payload for a step_context. `chance` is a random.Random of this match and step."""
    play = GAMES.get(game_type)
    return play(context, chance) if play else {}


def even_odd(context, chance):
    return {"choice": chance.choice(["even", "odd"])}


def rock_paper_scissors(context, chance):
    return {"hand": chance.choice(["rock", "paper", "scissors"])}


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def tic_tac_toe(context, chance):
    """Wins where it can, prevents it where it must, and otherwise likes the middle and the corners."""
    board = [mark for row in context["board"] for mark in row]
    mine = context["your_mark"]
    theirs = "O" if mine == "X" else "X"
    free = [field for field in range(9) if board[field] == ""]
    for mark in (mine, theirs):
        for field in free:
            if completes(board, field, mark):
                return place(field)
    for wanted in ([4], [0, 2, 6, 8], [1, 3, 5, 7]):
        left = [field for field in wanted if field in free]
        if left:
            return place(chance.choice(left))
    return {}


def completes(board, field, mark):
    return any(
        field in line and all(other == field or board[other] == mark for other in line) for line in LINES
    )


def place(field):
    return {"row": field // 3, "col": field % 3}


GAMES = {"even_odd": even_odd, "rock_paper_scissors": rock_paper_scissors, "tic_tac_toe": tic_tac_toe}
