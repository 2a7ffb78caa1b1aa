import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '@despatch/embedded/postgres'
import { copyTemplateDatabase, makeTemplateDatabase } from '@despatch/testing/template-database'
import type { Browser } from 'playwright-core'
import { aConsumer } from '../stack/a-consumer.ts'
import { aLetter } from '../stack/console/a-letter.ts'
import { signIn, visit } from '../stack/console/browser.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'
import { makeDirectory, startDespatch } from '../stack/start-despatch.ts'
import { makeBusyHour } from './busy-hour.ts'

const size = { width: 1280, height: 900 }

/**
 * Takes `console.png`, the page *Now*, and `letter.png`, a rejected letter, from a Despatch with made-up letters that it
 * starts for this purpose.
 */
export async function takeConsolePictures(browser: Browser, docs: string): Promise<void> {
  await using parts = new AsyncDisposableStack()
  const directory = parts.use(await makeDirectory())
  const postgres = await startPostgres({
    directory: join(directory.path, 'postgres'),
    durable: false,
  })
  parts.defer(postgres.stop)
  await makeTemplateDatabase(postgres.url)
  const databaseUrl = await copyTemplateDatabase(postgres.url, 'pictures')
  const { credentials } = parts.use(
    await startDespatch(join(directory.path, 'despatch'), {
      DATABASE_URL: databaseUrl,
      DESPATCH_ENVIRONMENT: 'uat',
      DESPATCH_PRINT_RUN_AGE_MS: '1000',
      DESPATCH_SIMULATOR: 'on',
    }),
  )
  await liftUsagePlans(databaseUrl)
  process.stdout.write('Letters of an hour are posted …\n')
  const consumer = await aConsumer(credentials.baseUrl, credentials.consumer)
  await makeBusyHour({ databaseUrl, consumer, uatUrl: `${credentials.baseUrl}/uat` })

  const { page } = parts.use(await visit(browser, credentials.opsUrl, size))
  await signIn(page, credentials.operator)
  await page.getByRole('table', { name: 'Backlog by stage' }).waitFor()
  await page.screenshot({ path: join(docs, 'console.png') })

  const scan = await readFile(join(docs, 'examples/letter-landscape.pdf'), 'base64')
  const customParams = [{ key: 'pdfContent', value: scan }]
  const id = await consumer.submit(aLetter('Josephine Okafor', { customParams }))
  await consumer.reached(id, 'REJECTED')
  await page.goto(`/print-jobs?find=${id}`)
  await page.getByRole('table').getByRole('link', { name: 'Josephine Okafor' }).click()
  const sheets = page.locator('img.sheet')
  await sheets.nth(2).waitFor()
  await page.screenshot({ path: join(docs, 'letter.png') })
}
