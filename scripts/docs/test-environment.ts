import { type ReceiverBehaviour, receiverBehaviours } from '@despatch/contracts/uat/operations'
import { driverScenarios } from '@despatch/uat-scenarios/driver-scenarios'
import { sourceDrivers } from '@despatch/uat-scenarios/drivers/sources'
import {
  type FindScenario,
  findRefusals,
  findScenarios,
  uatFindDrivers,
} from '@despatch/uat-scenarios/find-scenarios'
import { exampleJob, listScenarios } from '@despatch/uat-scenarios/list-scenarios'
import {
  partialAcceptances,
  partialResponseStatus,
} from '@despatch/uat-scenarios/partial-responses'
import { printScenarios } from '@despatch/uat-scenarios/print-scenarios'
import { vehicleScenarios } from '@despatch/uat-scenarios/vehicle-scenarios'
import { markdownTable } from './markdown-table.ts'

const received: Record<ReceiverBehaviour, string> = {
  204: 'delivered',
  400: 'refused: not tried again',
  410: 'gone: not tried again, nor are the other callbacks of the print job',
  429: 'tried again, not before the 10 seconds that Retry-After asks for',
  500: 'tried again',
  slow: 'answers after 20 seconds, longer than a callback waits: tried again',
  redirect: 'answers 307, which is not followed: tried again',
}

/** Returns docs/test-environment.md: every request with a predefined outcome, from the tables that the services use. */
export function describeTestEnvironment(): string {
  const numbersOfSources = new Set(sourceDrivers.map((each) => each.drivingLicenceNumber))
  const plainDrivers = driverScenarios.filter(
    ({ drivingLicenceNumber }) => !numbersOfSources.has(drivingLicenceNumber),
  )
  return `# The test environment

<!-- Written by \`npm run docs\` from packages/uat-scenarios/src: change it there. -->

With \`DESPATCH_ENVIRONMENT=uat\` the services answer the numbers and recipients on this page as it says, whatever the
records are; every other number is looked up in the records. In production none of them means anything. Callers
authenticate as they do in production, and what is asked for is audited.

\`GET /uat/scenarios\` lists the same as JSON, each with an example of the request, and wants no credentials. \`?api=\` takes
${listApis()}. Dates in the answers move with the clock.

## Vehicles

\`POST /vehicle-enquiry/v1/vehicles\` with \`{"registrationNumber": "…"}\`. AA19…, ER19… and L2WPS are the agency's public
test numbers. Ours: \`UAT1nn\` for the tax status, \`UAT2nn\` for the MOT status, \`UAT3nn\` for what is known of a
vehicle; \`UAT4nn\` and \`UAT5nn\` give the status that they name.

${markdownTable(
  ['registrationNumber', 'status', 'what'],
  vehicleScenarios.map(({ registrationNumber, title, status }) => [
    code(registrationNumber),
    String(status),
    title,
  ]),
)}

## Drivers

\`POST /full-driver-enquiry/v1/driving-licences/retrieve\` with \`{"drivingLicenceNumber": "…"}\`. The first five letters of
our own numbers say what the driver shows, the month and day of birth which case of it. CPC and tachograph data are in
the answer where they are asked for (\`includeCPC\`, \`includeTacho\`).

${markdownTable(
  ['drivingLicenceNumber', 'status', 'what'],
  plainDrivers.map(({ drivingLicenceNumber, title, status }) => [
    code(drivingLicenceNumber),
    String(status),
    title,
  ]),
)}

### Partial responses

Asked with \`includeCPC\` and \`includeTacho\`, by \`acceptPartialResponse\`. \`SRC\` is followed by what the source of CPC
data does, then by what the source of tachograph data does: A(nswers), F(ails), U(navailable) or T(imes out). Without the
two members these drivers are a plain 200.

${markdownTable(
  ['drivingLicenceNumber', 'what', ...partialAcceptances.map(code)],
  sourceDrivers.flatMap(({ drivingLicenceNumber, title, outcome }) =>
    outcome.kind !== 'record'
      ? []
      : [
          [
            code(drivingLicenceNumber),
            title,
            ...partialAcceptances.map((accepts) => String(partialResponseStatus(outcome, accepts))),
          ],
        ],
  ),
)}

## Driver find

\`POST /driver-find/v1/drivers/find\` searches ${uatFindDrivers.length} drivers, each of whom full driver enquiry knows too.

${markdownTable(
  ['what', 'criteria', 'options', 'page', 'finds', 'x-total-count'],
  findScenarios.map((scenario) => [
    scenario.title,
    code(JSON.stringify(scenario.criteria)),
    scenario.options ? code(JSON.stringify(scenario.options)) : '',
    pageOf(scenario),
    findsOf(scenario),
    String(scenario.totalCount),
  ]),
)}

A search by one of these last names is refused, whatever the other criteria are:

${markdownTable(
  ['lastName', 'status', 'what'],
  findRefusals.map(({ lastName, status, title }) => [code(lastName), String(status), title]),
)}

## Print jobs

A print job for one of these recipients (\`standardParams.recipientName\`, written exactly so) has the outcome of the table,
whatever its contract, address and files are; it is accepted with 202 like any other. The comments are those of a print
job whose first file is \`${exampleJob.fileId}\`, under a contract of at most ${exampleJob.pagesMax} pages. What the print provider does
is done by the simulated one.

${markdownTable(
  ['recipientName', 'ends or stays in', 'what', 'comment'],
  printScenarios.map(({ recipientName, status, title, comment }) => [
    code(recipientName),
    code(status),
    title,
    comment ? comment(exampleJob) : '',
  ]),
)}

### Callbacks that fail

\`POST /uat/receiver/{behaviour}\` takes callbacks and keeps nothing of them. As the \`target\` of a print job's
\`callbackParams\`, with \`retryParams.enabled\`, it shows how callbacks are retried.

${markdownTable(
  ['behaviour', 'the callback is'],
  receiverBehaviours.map((behaviour) => [code(behaviour), received[behaviour]]),
)}
`
}

function listApis(): string {
  return [...new Set(listScenarios().map(({ api }) => code(api)))].join(', ')
}

function pageOf({ limit, offset }: FindScenario): string {
  return [
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
  ].join(', ')
}

const numbersNamedMax = 3

function findsOf({ finds }: FindScenario): string {
  if (finds.length <= numbersNamedMax) return finds.map(code).join(', ') || 'nobody'
  return `${finds.length}, from ${code(finds[0]!)} to ${code(finds.at(-1)!)}`
}

function code(text: string): string {
  return `\`${text}\``
}
