import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Submission } from '@despatch/store/print-job/submissions'
import { eventually } from '@despatch/testing/eventually'
import { publishTemplate, someFields } from '@despatch/testing/publish-template'
import { typesettingProcesses } from '@despatch/testing/typesetting-processes'
import { letter, openSender, saveAtOnce } from '../../load/pipeline/our-pipeline.ts'
import type { AskingLetter } from '../clients/ask.ts'
import { postLetter, untilIn } from '../clients/post-letter.ts'
import { clientPrefix } from '../facts/client-history.ts'
import type { World } from '../run-under-faults.ts'
import type { Scenario } from './scenario.ts'

const source = (body: string) => `#import "/despatch.typ": *\n= A letter\n${body}\n#fields.name`
/** Takes about half a second, so that a fault meets a letter and not a pause. */
const slow = source('#for i in range(300000) { let x = calc.sin(i) }')
/** Each exceeds one limit, and the comment that a letter is then refused with. */
const excessive = [
  {
    body: '#for i in range(100000) { for j in range(100000) { let x = calc.sin(j) } }',
    comment: 'takes more time than a letter may',
  },
  { body: '#let all = range(60000000)', comment: 'takes more memory than a letter may' },
]
const postEveryMs = 500
const underWayMax = 40
const kills = 3
const lookEveryMs = 20
const killedMsMax = 5_000
/** A stopped process is noticed after 20 s. */
const stoppedMsMax = 40_000
/** Longer than intake keeps the contracts of a consumer. */
const contractsKeptMs = 3_000
const noticedMsMax = 120_000
const exceeding = 'a letter that exceeds a limit is rejected once, with the reason'
const templateReference = 'RENEWAL'

async function strike(world: World): Promise<void> {
  await addContract(world, await publishTemplate(world.database.db, slow))
  await world.pause(contractsKeptMs)
  const over = new AbortController()
  const posting = keepPosting(world, over.signal)
  await world.blow('processes that typeset are killed', async () => {
    for (let kill = 0; kill < kills; kill += 1) await signalWhileItTypesets(world, 'SIGKILL')
  })
  await world.blow('a process that typesets is stopped', async () => {
    const from = new Date()
    await signalWhileItTypesets(world, 'SIGSTOP')
    await findStandstill(world, { from, to: new Date() })
  })
  over.abort()
  await posting
  await world.blow('letters exceed a limit', () => exceedLimits(world))
}

async function keepPosting(world: World, over: AbortSignal): Promise<void> {
  for (let number = 0; !over.aborted; number += 1) {
    if (world.watch.underWay() < underWayMax) await postTypeset(world, number)
    await world.pause(postEveryMs)
  }
}

async function addContract({ database, consumer }: World, template: string): Promise<void> {
  await database.pool.query(
    `insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses, template,
       template_languages)
     select $1, consumer_id, job_type, $2, production, callback_statuses, $3, '{en}'
     from contract where consumer_id = $4 and job_type = 'LETTER'`,
    [randomUUID(), templateReference, template, consumer.consumerId],
  )
}

function postTypeset({ client }: World, number: number): Promise<void> {
  const id = `typeset-${number}`
  const kind = { files: 'none', hasKey: true, isPatient: true, isCalledBack: false } as const
  const typeset: AskingLetter = { id, process: `${clientPrefix}${id}`, kind }
  return postLetter(client.asking, typeset, { templateReference, customParams: someFields })
}

/**
 * Sends a signal to a process that typesets, until its pipeline has noticed that a letter has lost it. A process may end
 * its letter before the signal arrives, and on a busy machine another pipeline may have taken the letter.
 */
async function signalWhileItTypesets(world: World, signal: NodeJS.Signals): Promise<void> {
  const before = await countLost(world)
  const isNoticed = async () => (await countLost(world)) > before
  const until = performance.now() + noticedMsMax
  while (performance.now() < until) {
    const found = await Promise.all(
      world.fleet.pipelines.map((pipeline) => typesettingProcesses(pipeline.pid())),
    )
    const running = found.flat().find(({ isRunning }) => isRunning)
    if (running) process.kill(running.pid, signal)
    const deadlineMs = signal === 'SIGSTOP' ? stoppedMsMax : killedMsMax
    const noticed = running && eventually(isNoticed, { deadlineMs, message: 'it is noticed' })
    if (await noticed?.catch(() => false)) return
    await world.pause(lookEveryMs)
  }
  const rule = 'a process that is lost is noticed'
  world.seen.push({ rule, subject: signal, detail: `was not noticed in ${noticedMsMax} ms` })
}

/** Counts the letters that a pipeline reported as failed because their process was lost. */
async function countLost({ fleet, records }: World): Promise<number> {
  const logs = await Promise.all(
    fleet.pipelines.map(({ name }) => readFile(join(records, `${name}.log`), 'utf8')),
  )
  return logs.join('').split('TypesettingProcessLost').length - 1
}

/** Accepts letters of another consumer, and waits until they are rejected. */
async function exceedLimits({ ground, database, seen }: World): Promise<void> {
  const { environment } = await ground.link()
  const sender = await openSender({ environment }, database, 'excessive-consumer')
  const letters: Submission[] = []
  for (const { body } of excessive) {
    const template = await publishTemplate(database.db, source(body))
    const terms = { template, templateLanguages: ['en'], customParams: someFields }
    letters.push({ ...letter(sender, 1), ...terms, callbackParams: null, callbackStatuses: [] })
  }
  await saveAtOnce(database.pool, letters)
  for (const [index, { comment }] of excessive.entries()) {
    const { id } = letters[index]!
    await untilIn(database, id, ['REJECTED', 'PENDING'])
    const { rows } = await database.pool.query<{ comment: string; rejections: number }>(
      `select comment, (select count(*) from print_job_event
         where print_job_key = key and transition = 'reject') as rejections
       from print_job where id = $1`,
      [id],
    )
    const [kept] = rows
    if (Number(kept?.rejections) === 1 && kept?.comment?.includes(comment)) continue
    seen.push({ rule: exceeding, subject: comment, detail: JSON.stringify(kept) })
  }
}

/** Letters that are not typeset must go on while a process is stopped. */
async function findStandstill(
  { database, consumer, seen }: World,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  const { rows } = await database.pool.query<{ others: number }>(
    `select count(*) as others from print_job join print_job_event on print_job_key = key
     where consumer_id = $1 and template is null and transition = 'accept' and at between $2 and $3`,
    [consumer.consumerId, from, to],
  )
  if (rows[0]!.others > 0) return
  const rule = 'other letters go on while a process is stopped'
  seen.push({ rule, subject: 'pipelines', detail: 'no letter became PENDING' })
}

export const typesettingLost: Scenario = {
  number: 28,
  name: 'processes that typeset letters are killed and stopped; letters take too much time and memory',
  holds:
    'I1 I3 I7 I10; a lost process rejects no letter, and an exceeded limit rejects its letter with the reason',
  queues: 'once',
  isOnce: true,
  plan: {
    // few, because those that are typeset take the processors
    lettersPerSecond: 4,
    lettersUnderWayMax: underWayMax,
    // a batch that is given up takes its letters away from the processes
    settings: { DESPATCH_STEP_LEASE_SECONDS: '10' },
    strike,
  },
}
