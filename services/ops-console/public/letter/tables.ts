import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { callbackChip, callbackEndName, statusName } from '../parts/chips.ts'
import { card, copyable, link, time } from '../parts/elements.ts'
import { bytes, count } from '../parts/format.ts'
import { table } from '../parts/table.ts'

type Letter = PrintJobDetailsResponse

/** Returns the callbacks to the consumer. */
export function callbacksOf({ callbacks, status }: Letter): JSX.Element {
  return card(
    { title: 'Callbacks', meta: callbacks.length > 0 && count(callbacks.length) },
    table({
      caption: 'Callbacks',
      columns: [
        'Says',
        'Result',
        { name: 'Origin', class: 'p2' },
        { name: 'Attempts', class: 'num' },
        { name: 'Next or last', class: 'num p2' },
      ],
      rows: callbacks.map((callback) => [
        link(
          withQuery('/callbacks', { callback: callback.callbackId }),
          callback.jobStatus ? statusName(callback.jobStatus) : callback.kind,
        ),
        [
          callbackChip(callback.status),
          callback.reason && h('span', { class: 'sub' }, callbackEndName(callback.reason)),
        ],
        h('span', { class: 'mono' }, callback.origin),
        count(callback.attempts),
        time(callback.nextAttemptAt ?? callback.endedAt),
      ]),
      empty:
        status === 'DESPATCHED' || status === 'REJECTED'
          ? 'None: its contract asks for no callback of what happened, or it names no address for one.'
          : 'No callbacks yet. They are sent when its status changes, as its contract says.',
    }),
  )
}

/** Returns the files, with the verdict on each. */
export function filesOf({ files, events, status }: Letter): JSX.Element {
  const findings = events.findLast((event) => event.findings)?.findings ?? []
  return card(
    { title: 'Files' },
    table({
      caption: 'Files',
      columns: [
        'File',
        'Verdict',
        { name: 'Kind', class: 'p2' },
        { name: 'Size', class: 'num p2' },
        { name: 'SHA-256', class: 'p2' },
      ],
      rows: files.map((file) => [
        [file.fileId, h('span', { class: 'sub' }, file.source)],
        verdictOn(file, { status, findings }),
        file.mediaType,
        file.bytes === undefined ? null : bytes(file.bytes),
        file.sha256 && copyable(file.sha256, 'SHA-256', 16),
      ]),
      empty: 'No files: the letter is made from its template.',
    }),
  )
}

/** Returns the verdict on a file so far. */
function verdictOn(
  { fileId, isPinned }: Letter['files'][number],
  { status, findings }: { status: Letter['status']; findings: readonly FindingResponse[] },
): JSX.Element | string {
  const found = findings.filter((finding) => finding.fileId === fileId)
  const refusals = found.filter(({ severity }) => severity === 'refusal')
  const named = (some: readonly FindingResponse[]) =>
    some.map(({ number, rule }) => number ?? rule).join(', ')
  if (refusals.length > 0) return h('span', { class: 'bad' }, `Refused: ${named(refusals)}`)
  if (!isPinned) return status === 'QUARANTINE' ? 'Not checked yet' : 'Not accepted'
  if (status === 'QUARANTINE' || status === 'VALIDATING') {
    return 'File accepted; its pages are being checked'
  }
  if (status === 'REJECTED') return 'File accepted'
  return found.length > 0 ? `Accepted, with notes: ${named(found)}` : 'Accepted'
}
