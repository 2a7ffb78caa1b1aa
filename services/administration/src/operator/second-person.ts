import {
  type Control,
  decideIndependence,
  decideSecondPersonRule,
  describeDependence,
  independenceDays,
  type Pair,
  type SecondPersonRule,
} from '@despatch/domain/access/independence'
import { Problem } from '@despatch/domain/problem'
import type { Db, Tx } from '@despatch/store/database'
import { sql } from 'kysely'

/**
 * Throws a Problem 'not-permitted' unless the confirmer is independent of the planner. Call it in the transaction of the
 * confirmation. Reads the audit log, which no one can change, and the clock of the database.
 */
export async function requireIndependence(tx: Tx, pair: Pair): Promise<void> {
  const rows = await readControls(tx, pair)
  const [first] = rows
  if (!first) return
  const decision = decideIndependence(pair, rows, first.now)
  if (decision.kind === 'independent') return
  const names = new Map(
    rows.flatMap(({ by, byName, of, ofName }) => [[by, byName] as const, [of, ofName] as const]),
  )
  throw new Problem(
    'not-permitted',
    describeDependence(decision, (account) => names.get(account)!),
  )
}

/** Reads whether decisions that require two people do so yet. */
export async function readSecondPersonRule(db: Db): Promise<SecondPersonRule> {
  const { rows } = await sql<{ since: Date; now: Date }>`
    select min(at) as since, now() from audit_event
    where action in ('consumer.created', 'consumer.roles-set') and detail -> 'roles' ?| '{operator,admin}'
    group by consumer_id order by since limit 2`.execute(db)
  const [first] = rows
  if (!first) return { isOn: false }
  return decideSecondPersonRule(
    rows.map(({ since }) => since),
    first.now,
  )
}

type ControlRow = Control & { byName: string; ofName: string; now: Date }

/**
 * Reads who has controlled the two accounts recently, directly or through others, and who created the confirmer. Every
 * account that changes its own password or key, or whose roles come from its OpenID provider, is its own actor.
 */
async function readControls(tx: Tx, { planner, confirmer }: Pair): Promise<ControlRow[]> {
  const isRecent = sql`event.at > now() - make_interval(days => ${independenceDays})`
  const { rows } = await sql<ControlRow>`
    with recursive controlled (id) as (
      select unnest(array[${planner}, ${confirmer}]::uuid[])
      union
      select ${controller} from controlled join audit_event event on event.consumer_id = controlled.id
      where ${isControl} and ${isRecent})
    select ${controller} as by, event.consumer_id as of, ${kind} as kind, event.at, actor.user_name as "byName",
      subject.user_name as "ofName", now()
    from controlled join audit_event event on event.consumer_id = controlled.id
    join consumer actor on actor.id = ${controller}
    join consumer subject on subject.id = event.consumer_id
    where ${isControl}
      and (${isRecent} or event.action = 'consumer.created' and event.consumer_id = ${confirmer})
    order by event.id`.execute(tx)
  return rows
}

const controller = sql`substr(event.actor, length('consumer:') + 1)::uuid`

const kind = sql`case event.action when 'consumer.created' then 'created' when 'password.changed' then 'password'
  when 'api-key.changed' then 'api-key' when 'consumer.roles-set' then 'roles' when 'consumer.enabled' then 'enabled' end`

/** Taking roles away gives no control. */
const isControl = sql`event.actor like 'consumer:%' and event.actor <> 'consumer:' || event.consumer_id and (
  event.action in ('consumer.created', 'password.changed', 'api-key.changed', 'consumer.enabled')
  or event.action = 'consumer.roles-set'
    and not coalesce(event.detail -> 'roles' <@ (event.detail -> 'before'), false))`
