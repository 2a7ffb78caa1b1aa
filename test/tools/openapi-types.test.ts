import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, onTestFinished, test } from 'vitest'
import { paths, readText, root } from '../guards/tree.ts'

const documents = paths.filter((path) => /^docs\/openapi\/[\w-]+\.json$/.test(path))

/** A consumer's code. Each line after @ts-expect-error must be refused, so the types must not be `any`. */
const consumer = `
import type { components, operations, webhooks } from './print-request.ts'
type Schemas = components['schemas']
export const printJob: Schemas['PrintJobRequest'] = {
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName: 'Ms A Example',
    address: { unstructuredAddress: { line1: '1 Example Street', postcode: 'AB1 2CD' } },
    // @ts-expect-error: no such despatch method
    despatchMethod: 'PIGEON',
  },
}
export function readStatus(body: operations['getPrintJob']['responses'][200]['content']['application/json']) {
  const status: Schemas['PrintJobStatus'] = body.status
  // @ts-expect-error: may be absent
  const comment: string = body.comment
  return { status, comment }
}
type Message = webhooks['printJobStatus']['post']['requestBody']['content']['application/json']
export const handle = (message: Message): string => message.data.jobId
`

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2024',
  module: 'nodenext',
  allowImportingTsExtensions: true,
  types: [],
}

test('a strict compiler accepts the types that openapi-typescript generates from the documents', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const path of documents) {
    const types = astToString(await openapiTS(JSON.parse(readText(path)), { silent: true }))
    await writeFile(join(folder, path.replace(/.*\/([\w-]+)\.json/, '$1.ts')), types)
  }
  await writeFile(join(folder, 'consumer.ts'), consumer)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))

  const compiled = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder])

  await expect(compiled).resolves.toEqual({ stdout: '', stderr: '' })
})
