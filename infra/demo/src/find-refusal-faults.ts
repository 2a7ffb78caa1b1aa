import { isDeepStrictEqual } from 'node:util'
import type { Refusal } from './explain-refusal.ts'

const signatures = { pdf: '%PDF-', png: '\x89PNG' } as const

/** Returns where the dry run, the timeline, the comment, the callback and the proof of a rejected letter disagree. */
export function findRefusalFaults({ progress, dryRun, findings, proofs }: Refusal): string[] {
  const { letter, job, callbacks } = progress
  const name = `letter ${letter.number}`
  const sentence = findings.find(({ severity }) => severity === 'refusal')?.detail
  if (!sentence) return [`the timeline of ${name} does not say what was found`]
  const faults: string[] = []
  if (dryRun.verdict !== 'rejected' || !isDeepStrictEqual(dryRun.findings, findings)) {
    faults.push(`the trial of ${name} found something else than the print job`)
  }
  const comments = [dryRun.comment, job?.comment, ...callbacks.map(({ data }) => data.comment)]
  if (comments.some((comment) => comment !== sentence)) {
    faults.push(`the comments of ${name} are not what was found first`)
  }
  const wrong = proofs.filter(({ name, bytes }) => {
    const signature = name.endsWith('.pdf') ? signatures.pdf : signatures.png
    return !Buffer.from(bytes).toString('latin1', 0, signature.length).startsWith(signature)
  })
  return [...faults, ...wrong.map(({ name }) => `${name} is not what its name says`)]
}
