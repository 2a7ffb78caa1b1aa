import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { ReconciliationItem } from '../doctor/reconcile/reconciliation.ts'
import { writeItems } from './doctor-reconcile.ts'

const items: readonly ReconciliationItem[] = [
  {
    severity: 'missing',
    kind: 'document-missing',
    about: { printJobId: 'an\u001b[2J id', status: 'PENDING' },
    found: 'it is gone',
    remedy: 'put it back',
  },
  { severity: 'note', kind: 'callbacks-due', about: { count: 3 }, found: '3 callbacks are due' },
]

async function tell(json: boolean) {
  let text = ''
  const output = new Writable({
    // Full after each write, so that a writer that does not wait is detected.
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      text += chunk
      setImmediate(done)
    },
  })
  async function* each() {
    yield* items
  }
  const missing = await writeItems(each(), json, output)
  return { missing, text }
}

test('for people, each finding with what to do', async () => {
  expect(await tell(false)).toEqual({
    missing: 1,
    text: [
      'MISSING  document-missing  printJobId=an\ufffd[2J id status=PENDING',
      '         it is gone',
      '         remedy: put it back',
      'note     callbacks-due  count=3',
      '         3 callbacks are due',
      '',
      '1 missing, 1 note, 0 done.\n',
    ].join('\n'),
  })
})

test('for scripts, one document', async () => {
  const { text } = await tell(true)

  expect(JSON.parse(text)).toEqual({
    items,
    counts: { missing: 1, note: 1, done: 0 },
    isWhole: false,
  })
})
