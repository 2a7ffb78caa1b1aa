import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import { expect, test } from 'vitest'
import type { Refusal } from './explain-refusal.ts'
import { findRefusalFaults } from './find-refusal-faults.ts'

const detail = 'Page 2 lies on its side.'
const finding: FindingResponse = { rule: 'page-size', number: 'P401', severity: 'refusal', detail }
const note: FindingResponse = { rule: 'font-not-embedded', severity: 'note', detail: 'A font.' }

test('a refusal that is reported consistently has no faults', () => {
  expect(findRefusalFaults(aRefusal())).toEqual([])
})

test.each<{ name: string; spoil: (refusal: Refusal) => void; faults: string[] }>([
  {
    name: 'a timeline without findings',
    spoil: (refusal) => {
      refusal.findings = [note]
    },
    faults: ['the timeline of letter 5 does not say what was found'],
  },
  {
    name: 'a trial that accepts',
    spoil: ({ dryRun }) => {
      dryRun.verdict = 'accepted'
    },
    faults: ['the trial of letter 5 found something else than the print job'],
  },
  {
    name: 'a trial that finds less',
    spoil: ({ dryRun }) => {
      dryRun.findings = [finding]
    },
    faults: ['the trial of letter 5 found something else than the print job'],
  },
  {
    name: 'a callback that says something else',
    spoil: ({ progress }) => {
      progress.callbacks[0]!.data.comment = 'No.'
    },
    faults: ['the comments of letter 5 are not what was found first'],
  },
  {
    name: 'a picture that is none',
    spoil: (refusal) => {
      refusal.proofs = [{ name: 'page.png', bytes: Buffer.from('%PDF-1.7') }]
    },
    faults: ['page.png is not what its name says'],
  },
])('finds $name', ({ spoil, faults }) => {
  const refusal = aRefusal()
  spoil(refusal)
  expect(findRefusalFaults(refusal)).toEqual(faults)
})

function aRefusal(): Refusal {
  return {
    progress: {
      letter: { number: 5 },
      events: [],
      callbacks: [{ data: { comment: detail } }],
      job: { id: 'id-5', status: 'REJECTED', comment: detail },
    } as unknown as Refusal['progress'],
    dryRun: {
      verdict: 'rejected',
      comment: detail,
      findings: [finding, note],
    } as unknown as Refusal['dryRun'],
    findings: [finding, note],
    proofs: [
      { name: 'proof.pdf', bytes: Buffer.from('%PDF-1.7') },
      { name: 'page.png', bytes: Buffer.from('\x89PNG\r\n', 'latin1') },
    ],
  }
}
