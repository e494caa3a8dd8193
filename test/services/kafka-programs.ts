import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withInstallLock } from '../../scripts/install-lock.js';
import { exists, installOnDebian, isInstalled } from './debian.ts';
import { run } from './process.ts';

const version = '4.3.1';
const remedy = 'install Maven and Java 17 or later, or name brokers in GLEITZEIT_TEST_KAFKA_BROKERS';
const folder = fileURLToPath(new URL(`../../.cache/kafka-${version}/`, import.meta.url));

const dependency = (group: string, artifact: string, wanted: string): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${wanted}</version></dependency>`;

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', version)}
    ${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}
  </dependencies>
</project>
`;

/** The class path of Kafka: its jars are fetched once and kept. */
export async function kafkaClassPath(): Promise<string> {
  const jars = join(folder, 'jars');
  // Test files that run at once wait for the first of them.
  await withInstallLock(folder, async () => {
    if (!(await isInstalled('java'))) await installOnDebian('default-jre-headless', remedy);
    if (!(await exists(jars))) await fetchJars(jars);
  });
  return `${jars}/*`;
}

async function fetchJars(jars: string): Promise<void> {
  if (!(await isInstalled('mvn'))) await installOnDebian('maven', remedy);
  process.stderr.write(`Fetching Kafka ${version} …\n`);
  const [pom, fresh] = [join(folder, 'pom.xml'), join(folder, 'jars.new')];
  await rm(fresh, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(pom, project);
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  const quietly = ['-q', '-B', '-ntp', '-f', pom];
  try {
    await run('mvn', [...quietly, goal, '-DincludeScope=runtime', `-DoutputDirectory=${fresh}`]);
  } catch (error) {
    throw new Error(`Kafka ${version} could not be fetched: ${remedy}.`, { cause: error });
  }
  // A half-fetched one is not taken for whole.
  await rename(fresh, jars);
}
