import { randomUUID } from 'node:crypto'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleId } from '@despatch/domain/preflight/rules'
import { expect, test } from 'vitest'
import { findOnce, hashOf } from './known-findings.ts'

function aSearch(pages?: number, rule: RuleId = 'print-area') {
  const searched: string[] = []
  const find = async (fileId: string) => {
    searched.push(fileId)
    const detail = `Page 1 of file ${fileId} is torn; remove ${fileId}.`
    const findings: Finding[] = [{ rule, severity: 'refusal', fileId, page: 1, detail }]
    return { findings, ...(pages !== undefined && { pages }) }
  }
  return { searched, find }
}

test('searches a file once, and names the file by its current id', async () => {
  const { searched, find } = aSearch(3)
  const key = ['content', randomUUID()]

  const first = await findOnce(key, 'scan', find)
  const again = await findOnce(key, 'cost $& $1', find)

  expect(searched).toHaveLength(1)
  const found = (fileId: string) => ({
    pages: 3,
    findings: [
      {
        rule: 'print-area',
        severity: 'refusal',
        fileId,
        page: 1,
        detail: `Page 1 of file ${fileId} is torn; remove ${fileId}.`,
      },
    ],
  })
  expect([first, again]).toEqual([found('scan'), found('cost $& $1')])
})

test('searches again for another key', async () => {
  const { searched, find } = aSearch()
  const hash = hashOf(Buffer.from(randomUUID()))

  await findOnce(['pages', 'file-page', true, hash], 'scan', find)
  await findOnce(['pages', 'file-page', false, hash], 'scan', find)

  expect(searched).toHaveLength(2)
})

test.for(['file-time', 'pdf-too-complex', 'pdf-damaged', 'image-damaged'] as const)(
  'searches again after a finding that may not recur: %s',
  async (rule) => {
    const { searched, find } = aSearch(undefined, rule)
    const key = ['content', randomUUID()]

    await findOnce(key, 'scan', find)
    await findOnce(key, 'scan', find)

    expect(searched).toHaveLength(2)
  },
)

test('does not cache a failed search', async () => {
  const { searched, find } = aSearch()
  const key = ['content', randomUUID()]
  const fails = () => Promise.reject(new Error('out of memory'))

  await expect(findOnce(key, 'scan', fails)).rejects.toThrow('out of memory')
  await findOnce(key, 'scan', find)

  expect(searched).toHaveLength(1)
})
