import { withQuery } from './api.js'
import { element } from './dom.js'
import { age, count, moment } from './format.js'
import { table } from './table.js'

const lettersCountedMax = 10_000
const lanes = {
  plain: 'plain: without files',
  files: 'files: with files',
  slow: 'slow: failed or interrupted before',
}

/** The letters that no worker has taken, by lane. */
export function waitingLetters({ figures }) {
  const { work } = figures ?? {}
  return table({
    caption: 'Letters that wait for a worker',
    columns: ['Lane', 'Letters', 'Consumers', 'Oldest'],
    rows: work?.lanes.map(({ lane, letters, consumers, oldestSeconds }) => [
      lanes[lane],
      upTo(letters),
      count(consumers),
      age(oldestSeconds),
    ]),
    note:
      work &&
      `Waiting for a time or a dependency: ${upTo(work.postponed)}. In batches offered to the workers: ${offered(work)}.`,
  })
}

/** What the workers do, batch by batch. */
export function batches({ at, batches: listed }) {
  return table({
    caption: 'Batches of letters',
    isText: true,
    columns: ['Batch', 'Queue', 'Lane', 'Consumer', 'Letters', 'State', 'Result', 'Time'],
    rows: listed?.map((batch) => [
      batch.batchId.slice(0, 8),
      batch.queue,
      batch.lane,
      consumerOf(batch),
      count(batch.letters),
      batch.progress === null ? batch.state : `${batch.state}, ${batch.progress}`,
      batch.result,
      moment(batch.at),
    ]),
    empty: 'No batches in the last hour.',
    note: `As of ${moment(at)}. Batches in progress, those that wait, and the latest that ended.`,
  })
}

function consumerOf({ consumerId, consumerUserName }) {
  if (consumerId === null) return 'several'
  return element(
    'a',
    { href: withQuery('/consumers', { consumer: consumerId }) },
    consumerUserName ?? consumerId,
  )
}

function upTo(letters) {
  return letters < lettersCountedMax ? count(letters) : `${count(lettersCountedMax)} or more`
}

function offered({ offered: queues }) {
  return queues.map(({ queue, letters }) => `${count(letters)} in ${queue}`).join(', ')
}
