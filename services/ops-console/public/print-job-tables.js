import { withQuery } from './api.js'
import { element } from './dom.js'
import { count, moment } from './format.js'
import { table } from './table.js'

/** Returns the timeline of a print job, with actors and reasons. */
export function timelineOf(events) {
  return table({
    caption: 'Timeline',
    isText: true,
    columns: ['Time', 'Transition', 'Status', 'By', 'Reason', 'Findings'],
    rows: events.map(({ at, transition, status, actor, actorUserName, reason, findings = [] }) => [
      moment(at),
      transition,
      status,
      actorUserName ?? actor,
      reason && element('div', { class: 'prose' }, reason),
      findings.map(({ number, rule, detail }) =>
        element('div', { class: 'prose' }, `${number ?? rule}: ${detail}`),
      ),
    ]),
  })
}

/** Returns its files, with the findings in each. */
export function filesOf({ files, events, status }) {
  const findings = events.findLast((event) => event.findings)?.findings ?? []
  return table({
    caption: 'Files',
    isText: true,
    columns: ['File', 'Verdict', 'Source', 'Kind', 'Bytes', 'SHA-256'],
    rows: files.map((file) => [
      file.fileId,
      element('div', { class: 'prose' }, verdictOn(file, { status, findings })),
      file.source,
      file.mediaType,
      file.bytes === undefined ? '–' : count(file.bytes),
      file.sha256 && element('div', { class: 'digest' }, file.sha256),
    ]),
  })
}

/** Returns the verdict on a file so far. */
function verdictOn({ fileId, isPinned }, { status, findings }) {
  const found = findings.filter((finding) => finding.fileId === fileId)
  const refusals = found.filter(({ severity }) => severity === 'refusal')
  const named = (some) => some.map(({ number, rule }) => number ?? rule).join(', ')
  if (refusals.length > 0) return `Refused: ${named(refusals)}`
  if (!isPinned) return status === 'QUARANTINE' ? 'Not checked yet' : 'Not accepted'
  if (status === 'QUARANTINE' || status === 'VALIDATING') {
    return 'File accepted; its pages are being checked'
  }
  if (status === 'REJECTED') return 'File accepted'
  return found.length > 0 ? `Accepted, with notes: ${named(found)}` : 'Accepted'
}

/** Returns the callbacks to its consumer. */
export function callbacksOf(callbacks) {
  return table({
    caption: 'Callbacks',
    isText: true,
    columns: ['Callback', 'Event', 'Status', 'Reason', 'Attempts', 'Origin', 'Next attempt'],
    rows: callbacks.map((callback) => [
      element(
        'a',
        { href: withQuery('/callbacks', { callback: callback.callbackId }) },
        callback.callbackId,
      ),
      callback.jobStatus ?? callback.kind,
      callback.status,
      callback.reason,
      count(callback.attempts),
      callback.origin,
      moment(callback.nextAttemptAt),
    ]),
  })
}
