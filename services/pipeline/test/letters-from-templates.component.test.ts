import { prepareQueues } from '@despatch/queue/prepare-queues'
import { publishTemplate, someFields } from '@despatch/testing/publish-template'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackendsByEffort('redis')

describe.each(queueBackends)('letters from templates with queues on $name', ({ url }) => {
  let pipeline: TestPipeline

  beforeAll(async () => {
    await prepareQueues(url)
    pipeline = await aPipeline(url)
    await pipeline.start()
  })
  afterAll(() => pipeline.close())

  const read = (key: string) =>
    pipeline.database.db
      .selectFrom('print_job')
      .selectAll()
      .where('key', '=', key)
      .executeTakeFirstOrThrow()

  const submit = (template: string, customParams = someFields) =>
    pipeline.submit({ template, templateLanguages: ['en'], customParams })

  test('a letter is typeset and composed, and its document is in the object store', async () => {
    const key = await submit(await publishTemplate(pipeline.database.db))
    await pipeline.reached(key, 'PENDING')

    const job = await read(key)
    const name = `documents/${job.document_sha256!.toString('hex')}.pdf`
    const { bytes } = (await pipeline.objects.get(name, { bytesMax: 1_000_000 }))!
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-')
    expect(job).toMatchObject({ document_pages: 1, comment: null })
  })

  test('a letter keeps the version that it was accepted with', async () => {
    const { db } = pipeline.database
    const first = await publishTemplate(db)
    const second = await publishTemplate(
      db,
      '#import "/despatch.typ": *\n#pagebreak()\nThe second version',
    )

    const keys = [await submit(first), await submit(second)]
    for (const key of keys) await pipeline.reached(key, 'PENDING')

    expect(second).not.toBe(first)
    expect([(await read(keys[0]!)).document_pages, (await read(keys[1]!)).document_pages]).toEqual([
      1, 2,
    ])
  })

  test('a letter that cannot be typeset is refused, with the place in its template', async () => {
    const letter = '#import "/despatch.typ": *\n\n#if fields.amount > 10 { panic("too much") }'
    const key = await submit(await publishTemplate(pipeline.database.db, letter))
    await pipeline.reached(key, 'REJECTED')

    const { comment } = await read(key)
    expect(comment).toMatch(/^The letter cannot be made from template renewal@\d+: letter\.typ:3 /)
    const event = await pipeline.database.db
      .selectFrom('print_job_event')
      .select('findings')
      .where('print_job_key', '=', key)
      .where('transition', '=', 'reject')
      .executeTakeFirstOrThrow()
    expect(event.findings).toMatchObject([{ rule: 'template', severity: 'refusal' }])
  })
})
