import type { EvidenceContents } from './evidence-files.ts'
import type { Evidence } from './gather-evidence.ts'

/** Who exports the evidence, and when. */
export type Export = { exportedBy: string; exportedAt: Date }

/** Returns README.txt of the evidence of a print job: what each file is, what is missing, and why. */
export function renderReadme(
  evidence: Evidence,
  contents: EvidenceContents,
  { exportedBy, exportedAt }: Export,
): string {
  const { printJob } = evidence
  return `Evidence of a print job
=======================

Print job    ${printJob.id}
Key          ${printJob.printJobKey}
Consumer     ${printJob.userName}
Status       ${printJob.status}${printJob.deletedAt ? `, deleted at ${printJob.deletedAt}` : ''}
Submitted    ${printJob.createdAt}
Exported     ${exportedAt.toISOString()} by ${exportedBy}

All times are in UTC. Everything here is as it was at the moment of the export.
It holds personal information: give it to nobody who must not see the letter.

What is here
------------
${filesHere(contents)}
${listAbsences(evidence, contents)}How to check it
---------------
In this folder:  sha256sum -c SHA256SUMS.txt
The SHA-256 of document.pdf and of the files is the one that Despatch recorded
when it made or took them in; they were compared again during the export.
`
}

function filesHere({ document, fileObjects }: EvidenceContents): string {
  return [
    line('README.txt', 'this'),
    line('print-job.json', 'the print job as operators see it, with its recipient address'),
    line('timeline.csv', 'what happened to it, oldest first: when, what, who and why'),
    line('timeline.json', 'the same with each finding in full'),
    line('findings.csv', 'what the checks found in the files and the letter, by rule'),
    line('callbacks.json', 'what its consumer was told, with every attempt; no messages'),
    line('printing.json', 'print runs, postings, reports of printers, reprints, recalls, returns'),
    document && line('document.pdf', 'the letter as it was made for print'),
    line('files.csv', 'the files that were submitted, with the verdict on each'),
    ...fileObjects.map(({ entry }) => line(entry, 'a submitted file, as it was taken in')),
    line('SHA256SUMS.txt', 'the SHA-256 of all of these'),
  ]
    .filter((text) => text !== undefined)
    .join('')
}

const nameColumns = 16

function line(name: string, meaning: string): string {
  return name.length < nameColumns
    ? `${name.padEnd(nameColumns)}${meaning}\n`
    : `${name}\n${' '.repeat(nameColumns)}${meaning}\n`
}

function listAbsences(
  { printJob, source }: Evidence,
  { whyNoDocument, files }: EvidenceContents,
): string {
  const absences = [
    ...(source.isPurged ? [purged(printJob.purgedAt)] : []),
    ...(whyNoDocument === undefined ? [] : [`No document.pdf: ${whyNoDocument}.`]),
    ...files.flatMap(({ whyNot }, index) =>
      whyNot === undefined ? [] : [`Not file ${index + 1} of files.csv: ${whyNot}.`],
    ),
  ]
  if (absences.length === 0) return ''
  return `What is not here, and why\n-------------------------\n${absences.join('\n')}\n\n`
}

function purged(purgedAt: string | undefined): string {
  const when = purgedAt === undefined ? 'is being removed now' : `was removed at ${purgedAt}`
  return `What is personal ${when}, since the time for which it is kept is over.\nWhat is left: ids, times, statuses, rules and counts.`
}
