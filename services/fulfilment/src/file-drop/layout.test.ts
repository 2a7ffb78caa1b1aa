import { expect, test } from 'vitest'
import { answerName, fileDropKeys, parseFileName, parsePersonalKey } from './layout.ts'

test.each([
  ['0001.events.json', { name: '0001', kind: 'events' }],
  ['2026-11-20_17.30.posting.json', { name: '2026-11-20_17.30', kind: 'posting' }],
  ['a.events.recall-answer.json', { name: 'a.events', kind: 'recall-answer' }],
  [`${'a'.repeat(150)}.close.json`, { name: 'a'.repeat(150), kind: 'close' }],
])('%s is a valid file name', (text, file) => {
  expect(parseFileName(text)).toEqual(file)
})

test.each([
  ...['', 'events.json', '.events.json', 'a.events', 'a.events.json.part', 'a.EVENTS.json'],
  ...['a.manifest.json', 'a.constructor.json', 'a/b.events.json', '../a.events.json'],
  ...['..events.json', 'a..events.json', 'a b.events.json', 'a\n.events.json', 'ä.events.json'],
  `${'a'.repeat(151)}.close.json`,
])('%j is not a valid file name', (text) => {
  expect(parseFileName(text)).toBeUndefined()
})

test('only documents and template data of a run are personal data', () => {
  const keys = fileDropKeys('north')
  const run = { providerId: 'north', batchNumber: 'R1' }

  expect(parsePersonalKey(keys.document('R1', 'D1'))).toEqual(run)
  expect(parsePersonalKey(keys.templateData('R1'))).toEqual(run)
  for (const key of [keys.manifest('R1'), keys.ready('R1'), keys.recall('R1'), `${keys.in}D1.pdf`])
    expect(parsePersonalKey(key)).toBeUndefined()
})

test('an answer is named after its file, but an invalid name is not repeated', () => {
  expect(answerName('0001.events.json')).toBe('0001.events')
  expect(answerName('../../south/in/a.events.json')).toMatch(/^unknown-[0-9a-f]{16}$/)
})

test('all objects of a provider are below its folder', () => {
  const keys = fileDropKeys('north')

  expect([
    ...[keys.in, keys.ack('a.events'), keys.error('a.events'), keys.errorInput('a.events')],
    ...[keys.documents('B1'), keys.document('B1', 'D1'), keys.manifest('B1')],
    ...[keys.templateData('B1'), keys.ready('B1'), keys.voided('B1'), keys.reprints('B1')],
    ...[keys.reprint('B1', { documentId: 'D1', attempt: 2 }), keys.recalls, keys.recall('R1')],
  ]).toEqual(
    [
      ...['in/', 'ack/a.events.json', 'error/a.events.json', 'error/a.events.input.json'],
      ...['out/B1/documents/', 'out/B1/documents/D1.pdf', 'out/B1/manifest.json'],
      ...['out/B1/template-data.ndjson', 'out/B1/ready.json', 'out/B1/voided.json'],
      ...['out/B1/reprints/', 'out/B1/reprints/D1-2.json', 'out/recalls/', 'out/recalls/R1.json'],
    ].map((below) => `file-drop/north/${below}`),
  )
})

test('a provider whose id looks like a path has its own folder', () => {
  expect(fileDropKeys('a/in/../b').in).toBe('file-drop/a%2Fin%2F..%2Fb/in/')
})
