import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { startPostgres } from '@despatch/embedded/postgres'
import { copyTemplateDatabase, makeTemplateDatabase } from '@despatch/testing/template-database'
import { aConsumer } from '../stack/a-consumer.ts'
import { findChromium, signIn, startBrowser, visit } from '../stack/console/browser.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'
import { makeDirectory, startDespatch } from '../stack/start-despatch.ts'
import { makeBusyHour } from './busy-hour.ts'

// Takes the picture of the console for the documents, from a Despatch with made-up letters that it starts for this purpose.
const picture = resolve(import.meta.dirname, '../../docs/console.png')

const chromium = findChromium()
if (!chromium) {
  process.stderr.write('There is no chromium on the PATH (apt-get install chromium).\n')
  process.exit(1)
}
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

const { browser } = parts.use(await startBrowser(chromium))
const { page } = parts.use(await visit(browser, credentials.opsUrl, { width: 1280, height: 900 }))
await signIn(page, credentials.operator)
await page.getByRole('table', { name: 'Backlog by stage' }).waitFor()
await mkdir(dirname(picture), { recursive: true })
await page.screenshot({ path: picture })
process.stdout.write('wrote docs/console.png\n')
