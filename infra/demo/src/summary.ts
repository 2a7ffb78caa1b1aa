import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enquiryPaths } from './ask-about-records.ts'
import { sum } from './find-faults.ts'
import type { DemoResult } from './run-demo.ts'
import type { Screen } from './screen/screen.ts'
import type { RecordsTold } from './tell-of-records.ts'
import { printJobsPath } from './users/consumer.ts'
import { queueBoardPath } from './users/operator.ts'

/** Tells how it ended, where everything is, and what to try next. */
export async function printSummary(
  { stack, consumer, letters, printRuns, refusal, records, faults }: DemoResult,
  {
    screen,
    dataDirectory,
    outputDirectory,
  }: { screen: Screen; dataDirectory: string; outputDirectory: string },
): Promise<void> {
  const { paint } = screen
  const { baseUrl, opsUrl } = stack.credentials
  const despatched = letters.filter(({ job }) => job?.status === 'DESPATCHED')
  const rejected = letters.filter(({ job }) => job?.status === 'REJECTED')
  const documents = printRuns.flatMap((printRun) => printRun.documents)
  const callbackCount = sum(letters.map(({ callbacks }) => callbacks.length))
  const headersFile = await writeHeaders(dataDirectory, consumer)
  const { number } = refusal.progress.letter
  const jobUrl = `${baseUrl}${printJobsPath}/${letters[0]!.letter.id}`

  const pages = sum(documents.map((document) => document.pages))
  const sheets = sum(documents.map((document) => document.sheets))
  const told = [
    `${despatched.length} letters despatched`,
    ...rejected.map(({ job }) => `1 letter rejected, as intended: ${job?.comment}`),
    `the dry run, the timeline and the callback of letter ${number} give the same reason`,
    `${callbackCount} callbacks received`,
    `${printRuns.length} manifests agree with the ${documents.length} documents fetched: ${pages} pages on ${sheets} sheets`,
    ...(records ? [`${records.enquiryCount} enquiries answered and audited`] : []),
  ]

  screen.print(
    '',
    paint.bold(` Done after ${screen.seconds()} s`),
    ...told.map((text) => (faults.length === 0 ? paint.green(` ✓ ${text}`) : ` · ${text}`)),
    ...faults.map((fault) => paint.red(` ✗ ${fault}`)),
    '',
    `   Letters, manifests  ${outputDirectory}`,
    `   Proof of letter ${number}   ${join(outputDirectory, refusal.proofs.at(-1)!.name)}`,
    `   API                 ${baseUrl}`,
    `   Operations          ${opsUrl}`,
    `   Queue board         ${opsUrl}${queueBoardPath}`,
    '',
    ' Read letter 1 as its consumer does:',
    '',
    `   curl -sw '\\n' -H @${quoted(headersFile)} ${jobUrl}`,
    '',
    ...(records ? suggestEnquiries(records, { baseUrl, headersFile }) : []),
  )
}

function suggestEnquiries(
  { records }: RecordsTold,
  { baseUrl, headersFile }: { baseUrl: string; headersFile: string },
): string[] {
  const { vehicle, driver, misspeltLastName } = records
  const { firstNames, dateOfBirth } = driver.driver
  const post = (path: string, body: object) =>
    `   curl -sw '\\n' -H @${quoted(headersFile)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))} ${baseUrl}${path}`
  return [
    ' Ask for a vehicle, and find a driver by a misspelt name:',
    '',
    post(enquiryPaths.vehicle, { registrationNumber: vehicle.registrationNumber }),
    '',
    post(enquiryPaths.find, {
      criteria: { firstNames, lastName: misspeltLastName, dateOfBirth },
      options: { lastNameMatchType: 'phonetic' },
    }),
    '',
  ]
}

/** Token and key stay off the screen: curl reads them from a file that only its owner can read. */
async function writeHeaders(
  directory: string,
  { token, apiKey }: DemoResult['consumer'],
): Promise<string> {
  const path = join(directory, 'consumer-headers')
  const headers = `Authorization: Bearer ${token}\nX-API-Key: ${apiKey}\n`
  await writeFile(path, headers, { mode: 0o600 })
  return path
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
