import { renderCsv } from './csv.ts'
import type { PrintJobDetailsResponse } from './print-job.ts'

type Event = PrintJobDetailsResponse['events'][number]

/** A submitted file in the evidence of a print job. */
export type EvidenceFile = {
  fileId: string
  source: string
  mediaType?: string | undefined
  bytes?: number | undefined
  sha256?: string | undefined
  /** What the scan found: a signature, nothing, or not scanned yet. */
  verdict: string
  /** Path of the file in the evidence export. */
  entry?: string | undefined
  /** Why the file is not in the evidence export. */
  whyNot?: string | undefined
}

/** Renders the timeline of a print job as CSV, oldest first: one line per event, with its findings as sentences. */
export function renderTimelineCsv(events: readonly Event[]): string {
  const columns = [
    'sequence',
    'at',
    'transition',
    'status',
    'actor',
    'actorUserName',
    'reason',
    'findings',
  ]
  return renderCsv(
    columns,
    events.map(({ findings = [], ...event }) => ({
      ...event,
      findings: findings.map(({ detail }) => detail).join('; '),
    })),
  )
}

/** Renders the submitted files of a print job with their verdicts as CSV, in the order of the submission. */
export function renderEvidenceFilesCsv(files: readonly EvidenceFile[]): string {
  const columns = ['entry', 'fileId', 'source', 'mediaType', 'bytes', 'sha256', 'verdict', 'whyNot']
  return renderCsv(columns, files)
}

/** Renders the findings of a letter as CSV, from the timeline. */
export function renderFindingsCsv(events: readonly Event[]): string {
  const columns = ['at', 'transition', 'number', 'rule', 'severity', 'fileId', 'page', 'detail']
  return renderCsv(
    columns,
    events.flatMap(({ at, transition, findings = [] }) =>
      findings.map((finding) => ({ at, transition, ...finding })),
    ),
  )
}
