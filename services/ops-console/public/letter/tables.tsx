import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import type { JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { CallbackChip, callbackEndName, statusName } from '../parts/chips.tsx'
import { Copyable, Time } from '../parts/elements.tsx'
import { bytes, count } from '../parts/format.ts'
import { TableCard } from '../parts/table.tsx'

type Letter = PrintJobDetailsResponse
type OfLetter = { letter: Letter }

/** The callbacks to the consumer. */
export function Callbacks({ letter: { callbacks, status } }: OfLetter) {
  return (
    <TableCard
      title="Callbacks"
      meta={callbacks.length > 0 && count(callbacks.length)}
      columns={[
        'Says',
        'Result',
        { name: 'Origin', class: 'p2' },
        { name: 'Attempts', class: 'num' },
        { name: 'Next or last', class: 'num p2' },
      ]}
      rows={callbacks.map((callback) => [
        <a href={withQuery('/callbacks', { callback: callback.callbackId })}>
          {callback.jobStatus ? statusName(callback.jobStatus) : callback.kind}
        </a>,
        [
          <CallbackChip state={callback.status} />,
          callback.reason && <span class="sub">{callbackEndName(callback.reason)}</span>,
        ],
        <span class="mono">{callback.origin}</span>,
        count(callback.attempts),
        <Time at={callback.nextAttemptAt ?? callback.endedAt} />,
      ])}
      empty={
        status === 'DESPATCHED' || status === 'REJECTED'
          ? 'None: its contract asks for no callback of what happened, or it names no address for one.'
          : 'No callbacks yet. They are sent when its status changes, as its contract says.'
      }
    />
  )
}

/** The files, with the verdict on each. */
export function Files({ letter: { files, events, status } }: OfLetter) {
  const findings = events.findLast((event) => event.findings)?.findings ?? []
  return (
    <TableCard
      title="Files"
      columns={[
        'File',
        'Verdict',
        { name: 'Kind', class: 'p2' },
        { name: 'Size', class: 'num p2' },
        { name: 'SHA-256', class: 'p2' },
      ]}
      rows={files.map((file) => [
        [file.fileId, <span class="sub">{file.source}</span>],
        verdictOn(file, { status, findings }),
        file.mediaType,
        file.bytes === undefined ? null : bytes(file.bytes),
        file.sha256 && <Copyable value={file.sha256} name="SHA-256" shownMax={16} />,
      ])}
      empty="No files: the letter is made from its template."
    />
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
  if (refusals.length > 0) return <span class="bad">Refused: {named(refusals)}</span>
  if (!isPinned) return status === 'QUARANTINE' ? 'Not checked yet' : 'Not accepted'
  if (status === 'QUARANTINE' || status === 'VALIDATING') {
    return 'File accepted; its pages are being checked'
  }
  if (status === 'REJECTED') return 'File accepted'
  return found.length > 0 ? `Accepted, with notes: ${named(found)}` : 'Accepted'
}
