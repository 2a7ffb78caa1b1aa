import { documentKey } from '@despatch/object-store/keys'
import { createGroupCommit } from '@despatch/store/group-commit'
import type { Made } from '@despatch/store/print-job/print-jobs'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import { doomObjects } from '@despatch/store/purge/doomed'
import { forgetRemoved } from '@despatch/store/purge/removal'
import { createLogger } from '@despatch/telemetry/logger'
import { noTracing } from '@despatch/telemetry/tracing'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { createOrphanWalk } from '../src/orphans.ts'
import { type RunStageContext, runStage } from '../src/run-stage.ts'
import type { Outcome, Stage } from '../src/stage.ts'
import { createStepCommits } from '../src/step-commits.ts'
import { nothingAway } from './nothing-away.ts'
import { someDoomedObjects } from './some-doomed-objects.ts'

const doomed = await shared(someDoomedObjects())

describe('bytes that are doomed', () => {
  test('go when nobody uses them, and are not asked for again', async () => {
    const file = await doomed.aDoomedFile()
    const asked: string[] = []
    const remover = doomed.aRemover(async (key) => {
      asked.push(key)
      await doomed.objects.remove(key)
    })

    await remover.pass()
    await remover.pass()

    expect(await doomed.isThere(file)).toBe(false)
    expect(asked).toEqual([file.key])
  })

  test('stay while somebody uses them, and are no longer doomed', async () => {
    const file = doomed.aFile()
    await doomed.submit(file)
    await doomObjects(doomed.db, [file.named], 'replaced')

    await doomed.aRemover().pass()

    expect([await doomed.isThere(file), await doomed.rowOf(file)]).toEqual([true, undefined])
  })

  test('that are doomed anew while they are removed are looked at again', async () => {
    const file = await doomed.aDoomedFile()
    const remover = doomed.aRemover(async (key) => {
      await doomed.objects.remove(key)
      await doomed.put(file)
      await doomObjects(doomed.db, [file.named], 'unnamed')
    })

    await remover.pass()
    expect(await doomed.rowOf(file)).toMatchObject({ due: true, cause: 'unnamed' })
    await doomed.aRemover().pass()

    expect(await doomed.isThere(file)).toBe(false)
  })

  test('that went are forgotten after a day', async () => {
    const file = await doomed.aDoomedFile()
    await doomed.aRemover().pass()
    await forgetRemoved(doomed.db)
    const before = await doomed.rowOf(file)
    await doomed.pool.query(`update doomed_object set since = now() - interval '25 hours'`)

    await forgetRemoved(doomed.db)

    expect([before, await doomed.rowOf(file)]).toEqual([
      { due: false, barred: true, cause: 'purged' },
      undefined,
    ])
  })
})

describe('a letter with bytes that are being removed has them in the end', () => {
  test('when it is saved while they go', async () => {
    const file = await doomed.aDoomedFile()
    let saved: Promise<string> | undefined
    const remover = doomed.aRemover(async (key) => {
      const { promise: stored, resolve } = Promise.withResolvers<void>()
      saved = doomed.submit(file, async () => resolve())
      await stored
      await doomed.objects.remove(key)
    })

    await remover.pass()
    await saved

    expect([await doomed.isThere(file), await doomed.rowOf(file)]).toEqual([true, undefined])
  })

  test('when they go between its bytes and its rows', async () => {
    const file = await doomed.aDoomedFile()

    await doomed.submit(file, async () => {
      await doomed.aRemover().pass()
      expect(await doomed.isThere(file)).toBe(false)
    })

    expect([await doomed.isThere(file), await doomed.rowOf(file)]).toEqual([true, undefined])
  })

  test('when its rows are written and not committed as they are barred', async () => {
    const file = await doomed.aDoomedFile()
    const { key, ...submission } = doomed.submissionOf(file)
    const client = await doomed.pool.connect()
    await client.query('begin')
    await saveSubmissions(client as never, [{ key, ...submission }])

    const pass = doomed.aRemover().pass()
    await eventually(
      async () => {
        const { rows } = await doomed.pool.query(
          `select from pg_locks where locktype = 'advisory' and classid = 1146048333 and not granted`,
        )
        return rows.length === 1
      },
      { message: 'the removal waits for it' },
    )
    await client.query('commit')
    client.release()
    await pass

    expect([await doomed.isThere(file), await doomed.rowOf(file)]).toEqual([true, undefined])
  })

  test('when its rows are being written as they are barred', async () => {
    const file = await doomed.aDoomedFile()
    const lane = `1146048333, object_lane('file', decode('${file.sha256}', 'hex'))`
    const waiting = (mode: string) =>
      eventually(
        async () => {
          const { rows } = await doomed.pool.query(
            `select from pg_locks where locktype = 'advisory' and classid = 1146048333 and not granted and mode = $1`,
            [mode],
          )
          return rows.length === 1
        },
        { message: `somebody waits for ${mode}` },
      )
    const client = await doomed.pool.connect()
    await client.query(`begin; select pg_advisory_xact_lock(${lane})`)

    const saved = doomed.submit(file)
    await waiting('ShareLock')
    const pass = doomed.aRemover().pass()
    await waiting('ExclusiveLock')
    await client.query('commit')
    client.release()
    await Promise.all([saved, pass])

    expect(await doomed.isThere(file)).toBe(true)
  })

  test('when what removed them died, and once its lease is over', async () => {
    const file = await doomed.aDoomedFile()
    const dying = doomed.aRemover(async () => {
      throw new Error('The process died')
    })
    await expect(dying.pass()).rejects.toThrow('The process died')
    await expect(doomed.submit(file)).rejects.toThrow('it has to be stored again')

    await doomed.leasesEnd()
    await doomed.submit(file)
    expect(await doomed.rowOf(file)).toMatchObject({ due: true, barred: false })
    await doomed.aRemover().pass()

    expect([await doomed.isThere(file), await doomed.rowOf(file)]).toEqual([true, undefined])
  })
})

test.for<[name: string, statement: string]>([
  [
    'a new print job with the document',
    `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses, correlation_id,
       request_fingerprint, document_sha256)
     select gen_random_uuid(), consumer_id, 'another', status, contract_id, '{}', '{}', '', '', $1 from print_job
     where key = $2`,
  ],
  ['another document', 'update print_job set document_sha256 = $1 where key = $2'],
  [
    'a new file',
    `insert into print_job_file (print_job_key, position, file_id, source, sha256)
     values ($2, 1, 'another', 'custom-param', $1)`,
  ],
  ['another file', 'update print_job_file set sha256 = $1 where print_job_key = $2'],
])('bytes that went cannot be named by %s', async ([, statement]) => {
  const { sha256 } = await doomed.aDoomedFile()
  await doomObjects(doomed.db, [{ kind: 'document', sha256 }], 'replaced')
  const key = await doomed.submit(doomed.aFile())
  const name = () => doomed.pool.query(statement, [Buffer.from(sha256, 'hex'), key])
  await doomed.aRemover().pass()

  await expect(name()).rejects.toMatchObject({ code: 'DS001' })

  await doomed.pool.query('delete from doomed_object')
  expect((await name()).rowCount).toBe(1)
})

test('of print jobs that are saved together only the one whose bytes went is refused', async () => {
  const file = await doomed.aDoomedFile()
  await doomed.aRemover().pass()
  const groups: number[] = []
  const save = createGroupCommit({
    ...{ itemsMax: 10, commitsMax: 1 },
    commit: (submissions: readonly Submission[]) => {
      groups.push(submissions.length)
      return saveSubmissions(doomed.pool, submissions)
    },
  })
  const files = [doomed.aFile(), file, doomed.aFile()]

  const ends = await Promise.allSettled(files.map((each) => save(doomed.submissionOf(each))))

  expect(groups).toEqual([3, 1, 1, 1])
  expect(ends).toMatchObject([
    { status: 'fulfilled', value: { kind: 'saved' } },
    { status: 'rejected', reason: { code: 'DS001' } },
    { status: 'fulfilled', value: { kind: 'saved' } },
  ])
})

test('without the triggers on what names bytes, a letter would lose them', async () => {
  const { pool } = doomed
  const file = await doomed.aDoomedFile()
  await pool.query('alter table print_job_file disable trigger print_job_file_named')
  try {
    await doomed.submit(file, async () => {
      await doomed.aRemover().pass()
    })
  } finally {
    await pool.query('alter table print_job_file enable trigger print_job_file_named')
  }

  expect(await doomed.isThere(file)).toBe(false)
})

test('of letters that come and go with the same bytes at once, those that are left have them, and nothing else is left', async () => {
  const files = Array.from({ length: 80 }, (_, index) => ({
    file: doomed.aFile(),
    isKept: index % 3 > 0,
  }))
  let isOver = false
  const removers = [1, 2].map(async () => {
    const remover = doomed.aRemover()
    while (!isOver) await remover.pass()
  })
  const comeAndGo = async (file: (typeof files)[number]['file']) => {
    await doomed.purge(await doomed.submit(file), file)
  }

  for (let from = 0; from < files.length; from += 4) {
    const lives = files.slice(from, from + 4).map(async ({ file, isKept }) => {
      const two = [comeAndGo(file), comeAndGo(file)]
      await Promise.race(two)
      await Promise.all([...two, isKept ? doomed.submit(file) : comeAndGo(file)])
    })
    await Promise.all(lives)
  }
  isOver = true
  await Promise.all(removers)
  while ((await doomed.aRemover().pass()) === 'again');

  expect(await Promise.all(files.map(({ file }) => doomed.isThere(file)))).toEqual(
    files.map(({ isKept }) => isKept),
  )
})

test('what a stage stored and came too late to name is removed, and does not count as done', async () => {
  const file = doomed.aFile()
  const submission = doomed.submissionOf(file)
  await saveSubmissions(doomed.pool, [{ ...submission, files: [] }])
  const document = { kind: 'document' as const, sha256: file.sha256 }
  const stage: Stage<Outcome> = {
    queue: 'quarantine',
    status: 'QUARANTINE',
    needsObjects: () => true,
    gather: async (_effects, { key }) => {
      // another worker takes the step over
      await doomed.pool.query('update print_job set step_epoch = step_epoch + 1 where key = $1', [
        key,
      ])
      return {
        ...{ kind: 'advance', transition: 'release' },
        puts: [{ key: documentKey(file.sha256), bytes: file.bytes, contentType: 'text/plain' }],
        made: { documentSha256: file.sha256 } as Made,
      }
    },
    decide: (outcome) => outcome,
  }
  const context = {
    ...{ db: doomed.db, effects: { objects: doomed.objects }, tracing: noTracing },
    ...{ predefinedOutcome: () => undefined, commits: createStepCommits(doomed.db, 20) },
    ...{ leaseSeconds: 20, nudgeRelay: () => {}, outages: nothingAway },
    log: createLogger({ service: 'pipeline', level: 'silent' }),
  } as unknown as RunStageContext

  const task = { subject: submission.key, epoch: 0 }
  expect(await runStage(context, stage, task, AbortSignal.any([]))).toBe('overtaken')
  expect(await doomed.rowOf(file)).toMatchObject({ due: true, cause: 'unnamed' })
  await doomed.aRemover().remove([document])

  expect(await doomed.objects.head(documentKey(file.sha256))).toBeUndefined()
})

describe('the walk for what nobody names', () => {
  const dayMs = 24 * 60 * 60 * 1000
  const later = (ms: number) => () => new Date(Date.now() + ms)

  /** Reads all pages of a walk over a bucket that contains only these keys. */
  async function walk(keys: readonly string[], now: () => Date): Promise<void> {
    const own = keys.toSorted()
    let asked = 0
    const walkOn = createOrphanWalk({
      ...{ db: doomed.db, now, keysMax: 2 },
      objects: {
        head: doomed.objects.head,
        list: async (prefix, { keysMax, after = '' }) => {
          asked += 1
          return own.filter((key) => key.startsWith(prefix) && key > after).slice(0, keysMax)
        },
      },
    })
    // the pages of files, and the one page of documents
    const pages = Math.floor(own.length / 2) + 2
    for (let page = 0; page < pages + 3; page++) await walkOn()
    expect(asked).toBe(pages)
  }

  test('finds them page by page once they are a day old, and leaves what is named', async () => {
    const named = doomed.aFile()
    await doomed.submit(named)
    const orphans = [1, 2, 3, 4].map(() => doomed.aFile())
    for (const file of orphans) await doomed.put(file)
    const all = [named, ...orphans]
    const keys = all.map(({ key }) => key)

    await walk(keys, later(dayMs - 60_000))
    await doomed.aRemover().pass()
    expect(await Promise.all(all.map(doomed.isThere))).toEqual([true, true, true, true, true])

    await walk(keys, later(dayMs + 60_000))
    await doomed.aRemover().pass()
    expect(await Promise.all(all.map(doomed.isThere))).toEqual([true, false, false, false, false])
  })

  test('leaves objects that are older than the database', async () => {
    const file = doomed.aFile()
    await doomed.put(file)
    const { rows } = await doomed.pool.query(`select name, applied_at as at from migration`)
    await doomed.pool.query(`update migration set applied_at = now() + interval '1 minute'`)

    await walk([file.key], later(3 * dayMs))

    for (const { name, at } of rows) {
      await doomed.pool.query('update migration set applied_at = $2 where name = $1', [name, at])
    }
    expect([await doomed.isThere(file), await doomed.rowOf(file)]).toEqual([true, undefined])
  })
})
