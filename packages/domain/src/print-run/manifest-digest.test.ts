import { expect, test } from 'vitest'
import {
  manifestDigestRule,
  manifestDocumentLine,
  manifestRunLine,
  manifestTotalsLine,
} from './manifest-digest.ts'

test('the hashed lines follow the rule for providers', () => {
  const run = {
    batchNumber: 'R100001',
    printLocation: 'NORTH',
    despatchMethod: 'SECOND',
    stationery: 'A4-PLAIN',
    plex: 'duplex',
    colour: true,
  } as const
  const document = {
    sequence: 7,
    documentId: 'D100000001',
    fulfilmentJobId: 'R100001-001',
    attempt: 1,
    sheets: 2,
    pages: 3,
    bytes: 4_000,
    sha256: 'ab',
  }
  const totals = {
    manifestVersion: 2,
    documentCount: 1,
    sheetCount: 2,
    pageCount: 3,
    byteCount: 4_000,
  }

  expect(manifestRunLine(run)).toBe('manifest-1|R100001|NORTH|SECOND|A4-PLAIN|duplex|true\n')
  expect(manifestDocumentLine(document)).toBe('7|D100000001|R100001-001|1|2|3|4000|ab\n')
  expect(manifestTotalsLine(totals)).toBe('2|1|2|3|4000\n')
  const { manifestVersion: _, ...counts } = totals
  for (const members of [run, document, counts]) {
    expect(manifestDigestRule).toContain(Object.keys(members).join(', '))
  }
})
