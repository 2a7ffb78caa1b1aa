import { callbackEndReasons } from '@despatch/domain/callback/callback-state'
import type { Command } from 'commander'
import { findConsumer } from '../find-consumer.ts'
import type { Session } from '../session.ts'
import { oneOf, parseMoment } from './option.ts'

export type CallbackFilterOptions = {
  status?: string
  reason?: string
  consumer?: string
  origin?: string
  job?: string
  from?: string
  to?: string
}

/** Adds the filters for listing callbacks and for replaying them. */
export function addCallbackFilter(command: Command): Command {
  return command
    .addOption(
      oneOf('--reason <reason>', 'only dead callbacks with this reason', callbackEndReasons),
    )
    .option('--consumer <userName>', 'only for this consumer')
    .option('--origin <origin>', 'only to this origin, such as https://example.com')
    .option('--job <id>', 'only for this print job')
    .option(
      '--from <time>',
      'inclusive start of the range, such as 2026-01-31T09:00:00Z',
      parseMoment,
    )
    .option('--to <time>', 'exclusive end of the range', parseMoment)
}

/** Returns the filter with the API's names. Throws a Failure if there is no such consumer. */
export async function readCallbackFilter(
  session: Session,
  { status, reason, consumer, origin, job, from, to }: CallbackFilterOptions,
): Promise<Record<string, string>> {
  const consumerId =
    consumer === undefined ? undefined : (await findConsumer(session, consumer)).consumerId
  const filter = {
    status,
    reason,
    consumerId,
    origin,
    jobId: job,
    createdFrom: from,
    createdTo: to,
  }
  return Object.fromEntries(
    Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
