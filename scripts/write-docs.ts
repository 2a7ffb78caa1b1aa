// Writes the documents that are made from the code. With --check it writes nothing and fails when one is out of date.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeConfiguration } from './docs/configuration.ts'
import { describeApis } from './docs/openapi.ts'
import { describeStateMachine } from './docs/state-machine.ts'
import { describeTestEnvironment } from './docs/test-environment.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isCheck = process.argv.includes('--check')

const documents: Record<string, string> = {
  'docs/configuration.md': await describeConfiguration(),
  'docs/state-machine.md': describeStateMachine(),
  'docs/test-environment.md': describeTestEnvironment(),
  ...(await describeApis('docs/openapi')),
}

for (const [path, text] of Object.entries(documents)) {
  if ((await readIfThere(path)) === text) continue
  if (isCheck) {
    process.exitCode = 1
    console.log(`${path} is out of date: npm run docs`)
  } else {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
