const [acceptedAt, heldAt, endedAt] = [
  '2026-11-20T09:00:04.000Z',
  '2026-11-20T09:10:00.000Z',
  '2026-11-20T13:00:00.000Z',
]
const reason = 'The recipient moved away'
const operator = {
  actor: 'consumer:3b0f9a64-3f0e-4a0e-9d0c-2f4f7f0a5d11',
  actorUserName: 'operator.example',
}
const documentId = 'D000000000034'
const document = { documentId, state: 'RECALLED' }

/** The events of a letter that waits for its print run. */
const accepted = [
  { transition: 'submit', status: 'QUARANTINE', at: '2026-11-20T09:00:00.000Z', actor: 'consumer' },
  {
    transition: 'release',
    status: 'VALIDATING',
    at: '2026-11-20T09:00:02.000Z',
    actor: 'quarantine',
  },
  { transition: 'accept', status: 'PENDING', at: acceptedAt, actor: 'validate' },
]
const produced = {
  transition: 'produce',
  status: 'PRODUCTION',
  at: '2026-11-20T12:00:00.000Z',
  actor: 'provider:demo-provider',
}
const despatched = {
  transition: 'despatch',
  status: 'DESPATCHED',
  at: '2026-11-20T12:06:40.000Z',
  actor: 'provider:demo-provider',
}
const held = { transition: 'hold', status: 'PENDING', at: heldAt, reason, ...operator }
const released = { ...held, transition: 'release-hold', at: endedAt }

const eventsOf = (events: readonly object[]) =>
  events.map((event, index) => ({ sequence: index + 1, ...event }))

/** Returns all actions: possible, or not for the given reason. */
const actionsOf = (whyNot: Readonly<Record<string, string | null>>) =>
  Object.entries(whyNot).map(([action, why]) => ({
    action,
    isPossible: why === null,
    ...(why !== null && { whyNot: why }),
  }))

/** A print job of a consumer that waits for its print run. */
const pending = {
  status: 'PENDING',
  batchNumber: undefined,
  fulfilmentJobId: undefined,
  documentId: undefined,
  printLocation: undefined,
  despatchProperties: undefined,
}

/** A print job, as operators see it, that waits for its print run. */
const pendingDetails = {
  ...pending,
  updatedAt: acceptedAt,
  callbacks: [],
}
const possibleOf = ({ isHeld }: { isHeld: boolean }) =>
  actionsOf({
    hold: isHeld ? 'An operator already holds it.' : null,
    release: isHeld ? null : 'It is not held.',
    cancel: null,
    redrive: 'It is not parked; it continues automatically.',
    'override-address': isHeld ? null : 'Hold it first.',
  })
const heldDetails = {
  ...pendingDetails,
  heldAt,
  heldBy: operator.actor,
  heldByUserName: operator.actorUserName,
  holdReason: reason,
  events: eventsOf([...accepted, held]),
  actions: possibleOf({ isHeld: true }),
}
const notHeldDetails = { ...pendingDetails, actions: possibleOf({ isHeld: false }) }
const deleted = { ...held, transition: 'delete', at: endedAt }
const addressee = {
  recipientName: 'Ms Ada Example',
  address: {
    unstructuredAddress: { line1: '1 High Street', line2: 'Anytown', postcode: 'AB1 2CD' },
  },
}

const confirmed = {
  confirmedBy: 'second.operator.example',
  confirmedAt: '2026-11-20T12:10:00.000Z',
  expiresAt: undefined,
  possibleCount: undefined,
}
const bulkItem = {
  printJobKey: '7d1e9a52-3c46-4f0b-8a77-61c0f4b2d802',
  printJobId: '7d1e9a52-3c46-4f0b-8a77-61c0f4b2d802',
  userName: 'letters.example',
  status: 'PENDING',
}
const noProgress = { done: 0, refused: 0, absent: 0, notBegun: 0, left: 0, failing: 0 }

const decided = { decidedAt: endedAt, decidedBy: 'operator.example' }
const answered = { answeredAt: endedAt }
const published = { recordCount: 1, publishedAt: endedAt }

/**
 * Members of examples of responses that differ from those of their shape, because of what the operation does, by
 * `operationId.status`. A member that is undefined is left out.
 */
export const operationExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  // print jobs of a consumer
  'holdPrintJob.200': {
    ...pending,
    updatedDate: acceptedAt,
    heldSince: heldAt,
    expectedDespatchDate: undefined,
  },
  'releasePrintJob.200': { ...pending, updatedDate: acceptedAt },
  'listPrintJobEvents.200': {
    events: eventsOf([...accepted, produced, despatched]),
    printRun: { batchNumber: 'R000000000012', state: 'RECONCILED', printLocation: 'demo-site' },
    actions: actionsOf({
      hold: 'It has been despatched.',
      release: 'It has been despatched.',
      delete: 'It has been despatched.',
    }),
  },
  // print jobs, as operators see them
  'getPrintJobByKey.200': {
    callbacks: [],
    events: eventsOf([...accepted, produced]),
    actions: actionsOf({
      hold: 'A provider has claimed it.',
      release: 'It is not held.',
      cancel: 'A provider has claimed it: recall it from its print run.',
      redrive: 'It is not parked; it continues automatically.',
      'override-address': 'A provider has claimed it: recall it from its print run.',
    }),
  },
  'holdPrintJobByKey.200': heldDetails,
  'releasePrintJobByKey.200': {
    ...notHeldDetails,
    events: eventsOf([...accepted, held, released]),
  },
  'cancelPrintJob.200': {
    ...pendingDetails,
    updatedAt: endedAt,
    deletedAt: endedAt,
    events: eventsOf([...accepted, deleted]),
    actions: actionsOf({
      hold: 'It was cancelled.',
      release: 'It was cancelled.',
      cancel: 'It was cancelled.',
      redrive: 'It was cancelled.',
      'override-address': 'It was cancelled.',
    }),
  },
  'redrivePrintJob.200': {
    ...notHeldDetails,
    status: 'VALIDATING',
    updatedAt: '2026-11-20T09:00:02.000Z',
    pages: undefined,
    printableAddress: undefined,
    events: eventsOf([
      ...accepted.slice(0, 2),
      { ...held, transition: 'redrive', status: 'VALIDATING' },
    ]),
    actions: actionsOf({
      hold: null,
      release: 'It is not held.',
      cancel: 'It is still being checked.',
      redrive: 'It is not parked; it continues automatically.',
      'override-address': 'It is still being checked: hold it and wait until it is PENDING.',
    }),
  },
  'overrideAddress.200': {
    ...heldDetails,
    addressOverride: addressee,
    addressOverriddenAt: endedAt,
    submittedAddress: {
      ...addressee,
      address: { unstructuredAddress: { line1: '7 High Street', postcode: 'AB1 2CD' } },
    },
    events: eventsOf([...accepted, held, { ...held, transition: 'override-address', at: endedAt }]),
  },
  // bulk actions
  'confirmBulkAction.200': {
    ...confirmed,
    state: 'RUNNING',
    items: [bulkItem],
  },
  'stopBulkAction.200': {
    ...confirmed,
    state: 'STOPPED',
    stoppedBy: 'operator.example',
    stoppedAt: endedAt,
    endedAt,
    progress: { ...noProgress, notBegun: 1 },
    items: [{ ...bulkItem, outcome: 'not-begun', at: endedAt }],
  },
  // callbacks
  'replayCallback.202': { status: 'DUE', replays: 1, nextAttemptAt: endedAt },
  'replayCallbacks.202': { dryRun: false },
  // print runs, recalls, postings and reprints
  'createPosting.201': { evidence: [] },
  'confirmPosting.200': { state: 'CONFIRMED', confirmedAt: '2026-11-20T17:40:00.000Z' },
  'acceptRecall.200': { state: 'ACCEPTED', documents: [document], ...answered },
  'rejectRecall.200': {
    state: 'REJECTED',
    documents: [{ ...document, state: 'TOO_LATE' }],
    ...answered,
  },
  'settleRecall.200': {
    state: 'ACCEPTED',
    recalledCount: 1,
    stoppableCount: 0,
    answerReason: 'Told on the telephone',
    ...answered,
  },
  'recallPrintRun.200': { recallId: undefined },
  'releasePrintRun.200': {
    state: 'OPEN',
    releaseAskedAt: endedAt,
    releaseAskedBy: operator.actor,
    releaseAskedByUserName: operator.actorUserName,
    manifestDigest: undefined,
    account: undefined,
    unaccounted: undefined,
  },
  'closePrintRunOnBehalf.200': {
    state: 'CLOSED',
    closedAt: endedAt,
    closedBy: operator.actor,
    closedByUserName: operator.actorUserName,
    unaccounted: undefined,
  },
  'reassignPrintRun.201': { printEpoch: 2 },
  'authoriseReprint.200': { state: 'AUTHORISED', ...decided },
  'refuseReprint.200': { state: 'REFUSED', decisionReason: reason, ...decided },
  // queues
  'pauseQueue.200': {
    isPaused: true,
    pausedAt: endedAt,
    pausedBy: operator.actor,
    pausedByUserName: operator.actorUserName,
    pausedReason: reason,
  },
  'drainQueue.200': { waiting: 0 },
  // consumers and contracts
  'disableConsumer.200': { disabledAt: endedAt },
  // record sets
  'beginRecordSet.201': { rowsRead: 0, rowsRejected: 0 },
  'publishRecordSet.200': { state: 'CURRENT', ...published },
  'publishRecordSet.202': { state: 'PUBLISHING', publishing: 'under-way' },
  'abandonRecordSet.200': { state: 'ABANDONED', endedAt },
  'makeRecordSetCurrent.200': { state: 'CURRENT', ...published },
}
