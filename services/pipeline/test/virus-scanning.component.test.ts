import { hash, randomBytes } from 'node:crypto'
import { fileKey } from '@despatch/object-store/keys'
import { eicar, startClamd } from '@despatch/testing/clamd'
import { eventually } from '@despatch/testing/eventually'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PipelineService } from '../src/service.ts'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

const mebibyte = 1024 * 1024
const clamd = await startClamd({ streamBytesMax: mebibyte })
afterAll(() => clamd?.close())

const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'navy' } })
  .png()
  .toBuffer()
/** A whole picture with the test virus after its end. */
const infected = Buffer.concat([picture, eicar()])
/** A picture over the scanner's limit. JPEG readers ignore the bytes after the end. */
const tooLarge = Buffer.concat([
  await sharp({ create: { width: 40, height: 30, channels: 3, background: 'navy' } })
    .jpeg()
    .toBuffer(),
  randomBytes(2 * mebibyte),
])

describe.skipIf(!clamd)('with a virus scanner', () => {
  let pipeline: TestPipeline
  let service: PipelineService

  beforeAll(async () => {
    pipeline = await aPipeline(undefined, {
      CLAMAV_URL: clamd!.url,
      DESPATCH_SCAN_PAUSE_SECONDS: '1',
      DESPATCH_UPLOAD_BYTES_MAX: String(4 * mebibyte),
    })
    service = await pipeline.start()
  })
  afterAll(() => pipeline.close())

  async function submitCustomParam(bytes: Uint8Array): Promise<string> {
    const sha256 = hash('sha256', bytes)
    await pipeline.objects.put(fileKey(sha256), bytes, 'image/png')
    const file = { fileId: 'logo', source: 'custom-param', sha256, mediaType: 'image/png' } as const
    return pipeline.submit({ files: [{ ...file, bytes: bytes.length }] })
  }

  const read = (key: string) =>
    pipeline.database.db
      .selectFrom('print_job')
      .select(['status', 'comment', 'step_failures', 'parked_at'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow()

  const metric = async (outcome: string): Promise<number> => {
    const { body } = await service.api.inject({ method: 'GET', url: '/metrics' })
    const line = new RegExp(`^virus_scans_total\\{outcome="${outcome}"[^}]*\\} (\\d+)$`, 'm')
    return Number(line.exec(body)?.[1] ?? 0)
  }

  const scannerHealth = async () =>
    (await service.ready()).find(({ name }) => name === 'virus-scanner')

  test('a clean file continues', async () => {
    const key = await pipeline.submitUpload(picture)

    await pipeline.reached(key, 'VALIDATING', 'PENDING')

    expect(await scannerHealth()).toEqual({ name: 'virus-scanner', ok: true })
  })

  test.each([
    ['an upload', () => pipeline.submitUpload(infected), 'scan'],
    ['a custom parameter', () => submitCustomParam(infected), 'logo'],
  ])('%s that is infected rejects the print job without naming the virus', async (...given) => {
    const [, submitInfected, fileId] = given
    const key = await submitInfected()

    await pipeline.reached(key, 'REJECTED')

    const detail = `File ${fileId} did not pass the security check`
    expect((await read(key)).comment).toBe(detail)
    const { findings } = await pipeline.database.db
      .selectFrom('print_job_event')
      .select('findings')
      .where('print_job_key', '=', key)
      .where('transition', '=', 'reject')
      .executeTakeFirstOrThrow()
    expect(findings).toEqual([{ rule: 'file-infected', severity: 'refusal', fileId, detail }])
    expect(await metric('infected')).toBeGreaterThan(0)
  })

  test('a file that cannot be scanned completely waits, and is neither accepted nor rejected', async () => {
    const key = await pipeline.submitUpload(tooLarge)

    await eventually(async () => (await metric('limit')) + (await metric('broken')) >= 2, {
      message: 'the file was given to the scanner twice',
    })

    expect(await read(key)).toMatchObject({ status: 'QUARANTINE', step_failures: 0 })
    expect(await scannerHealth()).toMatchObject({ ok: false })
    await pipeline.database.db
      .updateTable('print_job')
      .set({ parked_at: new Date() })
      .where('key', '=', key)
      .execute()
  })

  test('while the scanner is unavailable files wait, and continue automatically when it is back', async () => {
    await clamd!.stop()
    const before = await metric('unreachable')
    const clean = await pipeline.submitUpload(picture)
    const bad = await submitCustomParam(infected)

    await eventually(async () => (await metric('unreachable')) >= before + 4, {
      message: 'both files were given to the scanner twice',
    })
    expect(await read(clean)).toMatchObject({ status: 'QUARANTINE', step_failures: 0 })
    expect(await read(bad)).toMatchObject({ status: 'QUARANTINE', parked_at: null })
    expect(await scannerHealth()).toEqual({
      name: 'virus-scanner',
      ok: false,
      reason: 'unreachable',
    })
    await clamd!.start()

    await pipeline.reached(clean, 'VALIDATING', 'PENDING')
    await pipeline.reached(bad, 'REJECTED')
  })
})
