import { documentKey } from '@despatch/object-store/keys'
import { createGroupCommit } from '@despatch/store/group-commit'
import type { Made } from '@despatch/store/print-job/print-jobs'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { takeLetters } from '@despatch/testing/take-letters'
import { describe, expect, test } from 'vitest'
import { runLetter } from '../src/print-job/run-letter.ts'
import type { Effects, Outcome } from '../src/print-job/stage.ts'
import { forgetRemoved } from '../src/upkeep/removal-leases.ts'
import { aWorker } from './a-worker.ts'
import { isLockOfThisDatabase, someObjectsToDelete } from './some-objects-to-delete.ts'

const unused = await shared(someObjectsToDelete())

describe('bytes that are marked for deletion', () => {
  test('are removed if unused, and not removed again', async () => {
    const file = await unused.aFileToDelete()
    const asked: string[] = []
    const remover = unused.aRemover(async (key) => {
      asked.push(key)
      await unused.objects.remove(key)
    })

    await remover.pass()
    await remover.pass()

    expect(await unused.isThere(file)).toBe(false)
    expect(asked).toEqual([file.key])
  })

  test('stay while they are in use, and lose the mark', async () => {
    const file = unused.aFile()
    await unused.submit(file)
    await markObjectsForDeletion(unused.db, [file.named], 'replaced')

    await unused.aRemover().pass()

    expect([await unused.isThere(file), await unused.rowOf(file)]).toEqual([true, undefined])
  })

  test('that are marked again during their removal are checked again', async () => {
    const file = await unused.aFileToDelete()
    const remover = unused.aRemover(async (key) => {
      await unused.objects.remove(key)
      await unused.put(file)
      await markObjectsForDeletion(unused.db, [file.named], 'unnamed')
    })

    await remover.pass()
    expect(await unused.rowOf(file)).toMatchObject({ due: true, cause: 'unnamed' })
    await unused.aRemover().pass()

    expect(await unused.isThere(file)).toBe(false)
  })

  test('that were removed are forgotten after a day', async () => {
    const file = await unused.aFileToDelete()
    await unused.aRemover().pass()
    await forgetRemoved(unused.db)
    const before = await unused.rowOf(file)
    await unused.pool.query(`update doomed_object set since = now() - interval '25 hours'`)

    await forgetRemoved(unused.db)

    expect([before, await unused.rowOf(file)]).toEqual([
      { due: false, barred: true, cause: 'purged' },
      undefined,
    ])
  })
})

describe('a letter whose bytes are being removed keeps its bytes', () => {
  const waiting = (mode: 'ShareLock' | 'ExclusiveLock') =>
    eventually(
      async () => {
        const { rows } = await unused.pool.query(
          `select from pg_locks where ${isLockOfThisDatabase} and not granted and mode = $1`,
          [mode],
        )
        return rows.length === 1
      },
      { message: `somebody waits for ${mode}` },
    )

  test('when it is saved during the removal', async () => {
    const file = await unused.aFileToDelete()
    let saved: Promise<string> | undefined
    const remover = unused.aRemover(async (key) => {
      const { promise: stored, resolve } = Promise.withResolvers<void>()
      saved = unused.submit(file, async () => resolve())
      await stored
      await unused.objects.remove(key)
    })

    await remover.pass()
    await saved

    expect([await unused.isThere(file), await unused.rowOf(file)]).toEqual([true, undefined])
  })

  test('when the removal comes between its bytes and its rows', async () => {
    const file = await unused.aFileToDelete()

    await unused.submit(file, async () => {
      await unused.aRemover().pass()
      expect(await unused.isThere(file)).toBe(false)
    })

    expect([await unused.isThere(file), await unused.rowOf(file)]).toEqual([true, undefined])
  })

  test('when its rows are written but not committed at the start of the removal', async () => {
    const file = await unused.aFileToDelete()
    const { key, ...submission } = unused.submissionOf(file)
    const client = await unused.pool.connect()
    await client.query('begin')
    await saveSubmissions(client as never, [{ key, ...submission }])

    const pass = unused.aRemover().pass()
    await waiting('ExclusiveLock')
    await client.query('commit')
    client.release()
    await pass

    expect([await unused.isThere(file), await unused.rowOf(file)]).toEqual([true, undefined])
  })

  test('when its rows are being written at the start of the removal', async () => {
    const file = await unused.aFileToDelete()
    const lock = `1146048333, object_lock('file', decode('${file.sha256}', 'hex'))`
    const client = await unused.pool.connect()
    await client.query(`begin; select pg_advisory_xact_lock(${lock})`)

    const saved = unused.submit(file)
    await waiting('ShareLock')
    const pass = unused.aRemover().pass()
    await waiting('ExclusiveLock')
    await client.query('commit')
    client.release()
    await Promise.all([saved, pass])

    expect(await unused.isThere(file)).toBe(true)
  })

  test('when the remover died, once the lease has ended', async () => {
    const file = await unused.aFileToDelete()
    const dying = unused.aRemover(async () => {
      throw new Error('The process died')
    })
    await expect(dying.pass()).rejects.toThrow('The process died')
    await expect(unused.submit(file)).rejects.toThrow('it has to be stored again')

    await unused.leasesEnd()
    await unused.submit(file)
    expect(await unused.rowOf(file)).toMatchObject({ due: true, barred: false })
    await unused.aRemover().pass()

    expect([await unused.isThere(file), await unused.rowOf(file)]).toEqual([true, undefined])
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
])('removed bytes cannot be referenced by %s', async ([, statement]) => {
  const { sha256 } = await unused.aFileToDelete()
  await markObjectsForDeletion(unused.db, [{ kind: 'document', sha256 }], 'replaced')
  const key = await unused.submit(unused.aFile())
  const name = () => unused.pool.query(statement, [Buffer.from(sha256, 'hex'), key])
  await unused.aRemover().pass()

  await expect(name()).rejects.toMatchObject({ code: 'DS001' })

  await unused.pool.query('delete from doomed_object')
  expect((await name()).rowCount).toBe(1)
})

test('only the print job whose bytes were removed is refused among those saved together', async () => {
  const file = await unused.aFileToDelete()
  await unused.aRemover().pass()
  const groups: number[] = []
  const save = createGroupCommit({
    itemsMax: 10,
    commitsMax: 1,
    commit: (submissions: readonly Submission[]) => {
      groups.push(submissions.length)
      return saveSubmissions(unused.pool, submissions)
    },
  })
  const files = [unused.aFile(), file, unused.aFile()]

  const ends = await Promise.allSettled(files.map((each) => save(unused.submissionOf(each))))

  expect(groups).toEqual([3, 1, 1, 1])
  expect(ends).toMatchObject([
    { status: 'fulfilled', value: { kind: 'saved' } },
    { status: 'rejected', reason: { code: 'DS001' } },
    { status: 'fulfilled', value: { kind: 'saved' } },
  ])
})

test('bytes that a stage stored but could not reference are removed, and its step does not count as done', async () => {
  const file = unused.aFile()
  const document = { kind: 'document' as const, sha256: file.sha256 }
  // it has a file, so its document is stored before the commit
  const key = await unused.submit(unused.aFile())
  const validate = async (): Promise<Outcome> => {
    // another worker takes the step over
    await unused.pool.query('update print_job set step_epoch = step_epoch + 1 where key = $1', [
      key,
    ])
    return {
      kind: 'advance',
      transition: 'accept',
      puts: [{ key: documentKey(file.sha256), bytes: file.bytes, contentType: 'text/plain' }],
      made: { documentSha256: file.sha256 } as Made,
    }
  }
  const effects = { objects: unused.objects } as Effects
  const worker = aWorker(unused.db, { validate, context: { effects } })

  const [step] = await takeLetters(unused.db, [key])
  expect(await runLetter(worker, step!, AbortSignal.any([]))).toBe('overtaken')
  expect(await unused.objects.head(documentKey(file.sha256))).toBeDefined()
  expect(await unused.rowOf(file)).toMatchObject({ due: true, cause: 'unnamed' })
  await unused.aRemover().remove([document])

  expect(await unused.objects.head(documentKey(file.sha256))).toBeUndefined()
})
