import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enquiryPaths } from './ask-about-records.ts'
import type { PrintRun } from './collect-documents.ts'
import type { RecordsReport } from './report-records.ts'
import type { DemoResult } from './run-demo.ts'
import { count, sum } from './screen/count.ts'
import type { Screen } from './screen/screen.ts'
import { printJobsPath } from './users/consumer.ts'
import { queuesPath } from './users/operator.ts'

/** Prints how the demo ended and, if the system still serves, where everything is and what to try next. */
export async function printSummary(
  { stack, consumer, letters, production, refusal, records, faults }: DemoResult,
  {
    screen,
    dataDirectory,
    outputDirectory,
    isServing,
  }: { screen: Screen; dataDirectory: string; outputDirectory: string; isServing: boolean },
): Promise<void> {
  const { paint } = screen
  const despatched = letters.filter(({ job }) => job?.status === 'DESPATCHED')
  const rejected = letters.filter(({ job }) => job?.status === 'REJECTED')
  const { printRuns, printLog } = production
  const documents = printRuns.flatMap((printRun) => printRun.documents)
  const printed = printLog.filter(({ batchNumber }) =>
    printRuns.some(({ manifest }) => manifest.batchNumber === batchNumber),
  )
  const reprinted = printed.filter(({ attempt }) => attempt > 1)
  const callbackCount = sum(letters.map(({ callbacks }) => callbacks.length))
  const { number } = refusal.progress.letter

  const pages = sum(documents.map((document) => document.pages))
  const sheets = sum(documents.map((document) => document.sheets))
  const results = [
    `${despatched.length} letters despatched`,
    ...rejected.map(
      ({ letter, job }) => `letter ${letter.number} rejected, as intended: ${job?.comment}`,
    ),
    `the dry run, the timeline and the callback of letter ${number} give the same reason`,
    `${callbackCount} callbacks received`,
    renderReconciliations(printRuns),
    `${printRuns.length} manifests agree with the ${documents.length} documents fetched: ${pages} pages on ${sheets} sheets`,
    `the factory printed ${count(printed.length, 'attempt')}, each once: ${count(reprinted.length, 'reprint')} among them`,
    ...printRuns
      .slice(0, 1)
      .map(
        ({ printStream: { fulfilmentJobId, pages, sheetsOfManifest } }) =>
          `the print stream of ${fulfilmentJobId} has ${count(pages, 'page')} for its ${count(sheetsOfManifest, 'sheet')}`,
      ),
    ...(records ? [`${records.answers.audit.length} enquiries answered and audited`] : []),
  ]

  screen.print('', paint.bold(` Done after ${screen.seconds()} s`))
  for (const text of results) {
    if (faults.length === 0) screen.item('✓', text, 'green')
    else screen.item('·', text)
  }
  for (const fault of faults) screen.item('✗', fault, 'red')
  screen.print(
    '',
    `   Letters, manifests  ${outputDirectory}`,
    `   Proof of letter ${number}   ${join(outputDirectory, refusal.proofs.at(-1)!.name)}`,
  )
  if (!isServing) return
  const { baseUrl, opsUrl, operator } = stack.credentials
  const headersFile = await writeHeaders(dataDirectory, consumer)
  const jobUrl = `${baseUrl}${printJobsPath}/${letters[0]!.letter.id}`
  screen.print(
    `   API                 ${baseUrl}`,
    `   Console             ${opsUrl}`,
    `   Queues              ${opsUrl}${queuesPath}`,
    `   Operator            ${operator.userName}, whose password is in ${stack.credentialsPath}`,
    '',
    ' Read letter 1 as its consumer does:',
    '',
    `   curl -sw '\\n' -H @${quoted(headersFile)} ${jobUrl}`,
    '',
    ...(records ? suggestEnquiries(records, { baseUrl, headersFile }) : []),
    ' After Ctrl-C, send letters of your own:',
    '',
    '   npm start                   the same system, which keeps its data',
    '   docs/first-print-jobs.md    the first guide: submit, upload, receive callbacks',
    '',
  )
}

function renderReconciliations(printRuns: readonly PrintRun[]): string {
  const total = (outcome: 'expected' | 'despatched' | 'refused' | 'missing') =>
    `${sum(printRuns.map(({ account }) => account[outcome]))} ${outcome}`
  const totals = [total('expected'), total('despatched'), total('refused'), total('missing')]
  return `${count(printRuns.length, 'print run')} closed: ${totals.join(', ')}`
}

function suggestEnquiries(
  { made }: RecordsReport,
  { baseUrl, headersFile }: { baseUrl: string; headersFile: string },
): string[] {
  const { vehicle, driver, misspeltLastName } = made
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
