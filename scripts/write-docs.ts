// Writes the documents that are generated from the code. With --check it writes nothing and fails if one is out of
// date.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeCommandLine } from '@despatch/cli/command-line-document'
import { describeConfiguration } from './docs/configuration.ts'
import { describeDespatchProperties } from './docs/despatch-properties.ts'
import { drawExampleLetters } from './docs/example-letters.ts'
import { describeApis } from './docs/openapi.ts'
import { describePreflight } from './docs/preflight.ts'
import { drawProof, proofPath } from './docs/preflight-proof.ts'
import { describeRoles } from './docs/roles.ts'
import { describeStateMachine } from './docs/state-machine.ts'
import { describeTestEnvironment } from './docs/test-environment.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isCheck = process.argv.includes('--check')

const apis = await describeApis('docs/openapi')

const documents: Record<string, string | Buffer> = {
  'docs/command-line.md': await describeCommandLine(),
  'docs/configuration.md': await describeConfiguration(),
  'docs/despatch-properties.md': describeDespatchProperties(),
  'docs/preflight.md': await describePreflight(),
  'docs/roles.md': describeRoles(apis['docs/openapi/administration.json']!),
  'docs/state-machine.md': describeStateMachine(),
  'docs/test-environment.md': describeTestEnvironment(),
  ...(await drawExampleLetters()),
  ...apis,
}

// Another processor may smooth a line differently: the check does not draw the picture, and links require that it exists.
if (!isCheck) documents[proofPath] = Buffer.from(await drawProof())

for (const [path, content] of Object.entries(documents)) {
  const written = await readIfThere(path)
  if (written?.equals(Buffer.from(content))) continue
  if (isCheck) {
    process.exitCode = 1
    console.log(`${path} is out of date: npm run docs`)
  } else {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
    console.log(`wrote ${path}`)
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(root, path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
