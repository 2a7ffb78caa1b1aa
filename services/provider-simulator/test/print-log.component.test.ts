import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPrintLog } from '../src/print-run/print-log.ts'

const letter = { documentId: 'D1', attempt: 1, batchNumber: 'R1', sha256: 'ab' }

async function aPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'print-log-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return join(directory, 'print-log.ndjson')
}

test('refuses to print an attempt of a document twice, also at once and after a restart', async () => {
  const path = await aPath()
  const log = await openPrintLog(path)

  expect(await Promise.all([log.print(letter), log.print(letter)])).toEqual(['printed', 'refused'])
  await log.close()

  const reopened = await openPrintLog(path)
  expect(reopened.find(letter)).toEqual({})
  expect(await reopened.print(letter)).toBe('refused')
  expect(await reopened.print({ ...letter, attempt: 2 })).toBe('printed')
  await reopened.close()
})

test('continues after a line that a crash truncated', async () => {
  const path = await aPath()
  const log = await openPrintLog(path)
  await log.print(letter)
  await log.close()
  await appendFile(path, '{"documentId":"D2","att')

  const reopened = await openPrintLog(path)
  await reopened.print({ ...letter, documentId: 'D3' })
  await reopened.close()

  expect((await readFile(path, 'utf8')).split('\n')).toEqual([
    JSON.stringify(letter),
    '{"documentId":"D2","att',
    JSON.stringify({ ...letter, documentId: 'D3' }),
    '',
  ])
})

test('takes numbered stock in order, one number for each copy, also after a restart', async () => {
  const path = await aPath()
  const log = await openPrintLog(path, { serialNumberPrefix: 'SN-' })
  await log.print(letter)
  await log.print({ ...letter, attempt: 2 })
  await log.print(letter)
  await log.close()

  const reopened = await openPrintLog(path, { serialNumberPrefix: 'SN-' })
  await reopened.print({ ...letter, documentId: 'D2' })

  expect(reopened.find(letter)).toEqual({ serialNumber: 'SN-00000001' })
  expect(reopened.find({ ...letter, attempt: 2 })).toEqual({ serialNumber: 'SN-00000002' })
  expect(reopened.find({ documentId: 'D2', attempt: 1 })).toEqual({ serialNumber: 'SN-00000003' })
  await reopened.close()
})
