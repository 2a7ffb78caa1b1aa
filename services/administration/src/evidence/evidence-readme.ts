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

All times are in UTC. The files show the state at the time of the export.
They contain personal information. Give them only to people who may see the letter.

Contents
--------
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
    line('timeline.csv', 'its timeline, oldest first: time, transition, actor and reason'),
    line('timeline.json', 'the same, with complete findings'),
    line('findings.csv', 'findings in the files and the letter, by rule'),
    line('callbacks.json', 'its callbacks with every attempt, without messages'),
    line('printing.json', 'print runs, postings, reports of printers, reprints, recalls, returns'),
    document && line('document.pdf', 'the letter as printed'),
    line('files.csv', 'the files that were submitted, with the verdict on each'),
    ...fileObjects.map(({ entry }) => line(entry, 'a submitted file, as accepted')),
    line('SHA256SUMS.txt', 'the SHA-256 of all files'),
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
  return `Missing files\n-------------\n${absences.join('\n')}\n\n`
}

function purged(purgedAt: string | undefined): string {
  const when = purgedAt === undefined ? 'is being deleted now' : `was deleted at ${purgedAt}`
  return `Personal data ${when}, because its retention period has ended.\nThe remaining data are ids, times, statuses, rules and counts.`
}
