import { publishTemplate, someFields } from '@despatch/testing/publish-template'
import { shared } from '@despatch/testing/shared'
import { beforeAll, describe, expect, test } from 'vitest'
import { aPrintRequest, aRequest, type TestCaller } from './a-print-request.ts'

const service = await shared(aPrintRequest())
let consumer: TestCaller
let template: string

beforeAll(async () => {
  consumer = await service.aCaller()
  template = await publishTemplate(service.database.db)
  await makeFrom(template)
})

/** The letters of the consumer are made from the template from now on, at the latest when the contracts are read again. */
async function makeFrom(version: string) {
  await service.database.pool.query(
    `update contract set template = $1, template_languages = '{en}' where consumer_id = $2 and job_type = 'LETTER'`,
    [version, consumer.consumerId],
  )
}

const post = (path: string, detail: Record<string, unknown>) =>
  consumer.call({ method: 'POST', path, body: aRequest({ customParams: someFields, ...detail }) })

const withAmount = (value: string) =>
  someFields.map((param) => (param.key === 'amount' ? { ...param, value } : param))

describe.each(['jobs', 'jobs/validate'])('POST /print/%s', (path) => {
  test('400 names each custom parameter that is not as the template says', async () => {
    const customParams = [...withAmount('12,50'), { key: 'nmae', value: 'Ada' }]

    const { status, body } = await post(path, { customParams })

    expect(status).toBe(400)
    const details = (body as { errors: { detail: string }[] }).errors.map(({ detail }) => detail)
    expect(details).toEqual([
      'customParams[4].value: nmae is not a field of the template',
      'customParams[1].value: amount must be an amount such as 12.50',
    ])
  })
})

describe('POST /print/jobs/validate', () => {
  test('a sound letter would be accepted, with its pages', async () => {
    const { body } = await post('jobs/validate', {})

    expect(body).toMatchObject({ verdict: 'accepted', pages: 1, findings: [] })
  })

  test('a letter that cannot be typeset would be rejected, with the reason', async () => {
    const other = await service.aCaller()
    const failing = await publishTemplate(service.database.db, '#panic("not today")')
    await service.database.pool.query(
      `update contract set template = $1, template_languages = '{en}' where consumer_id = $2 and job_type = 'LETTER'`,
      [failing, other.consumerId],
    )

    const body = aRequest({ customParams: someFields })
    const answer = await other.call({ method: 'POST', path: 'jobs/validate', body })

    expect(answer.body).toMatchObject({
      verdict: 'rejected',
      findings: [
        {
          rule: 'template',
          detail: expect.stringContaining(`from template ${failing}: letter.typ:1 `),
        },
      ],
    })
  })
})

describe('GET /print/jobs/{jobId}/letter.pdf', () => {
  const letterOf = (id: string) => service.get(`jobs/${id}/letter.pdf`, consumer.headers)

  test('200: the letter as PDF/UA-1, the same bytes each time', async () => {
    const { id } = await service.aPendingJob(consumer, { customParams: someFields })

    const [first, second] = [await letterOf(id), await letterOf(id)]

    expect(first).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/pdf', 'cache-control': 'private, no-store' },
    })
    expect(first.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
    expect(first.rawPayload.includes('pdfuaid:part')).toBe(true)
    expect(second.rawPayload.equals(first.rawPayload)).toBe(true)
  })

  test('409: it is still being checked', async () => {
    const { id } = await service.aPrintJob(consumer, { customParams: someFields })

    expect((await letterOf(id)).statusCode).toBe(409)
  })

  test.each([
    ['it was rejected', `status = 'REJECTED', comment = 'refused'`, 'was rejected'],
    ['its personal data are being removed', 'purge_began_at = now()', 'has been removed'],
    ['it is not made from a template', 'template = null', 'is not made from a template'],
  ])('409: %s', async (_, change, says) => {
    const { id, key } = await service.aPendingJob(consumer, { customParams: someFields })
    await service.database.pool.query(`update print_job set ${change} where key = $1`, [key])

    const { statusCode, rawPayload } = await letterOf(id)

    expect(statusCode).toBe(409)
    expect(rawPayload.toString()).toContain(says)
  })

  test("404: another consumer's", async () => {
    const { id } = await service.aPendingJob(consumer, { customParams: someFields })
    const other = await service.aCaller()

    const answer = await service.get(`jobs/${id}/letter.pdf`, other.headers)

    expect(answer.statusCode).toBe(404)
  })
})
