import { markdownList, markdownTable, wrap } from '@despatch/cli/markdown'
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

const received: Record<ReceiverBehaviour, string> = {
  204: 'delivered',
  400: 'refused: not retried',
  410: 'gone: not retried, nor are the other callbacks of the print job',
  429: 'retried, at the earliest after the 10 seconds of Retry-After',
  500: 'retried',
  slow: 'answers after 20 seconds, longer than a callback waits: retried',
  redirect: 'answers 307, which is not followed: retried',
}

/** Returns docs/test-environment.md: every request with a predefined outcome, from the tables that the services use. */
export function describeTestEnvironment(): string {
  const numbersOfSources = new Set(sourceDrivers.map((each) => each.drivingLicenceNumber))
  const plainDrivers = driverScenarios.filter(
    ({ drivingLicenceNumber }) => !numbersOfSources.has(drivingLicenceNumber),
  )
  return `# The test environment

<!-- Written by \`npm run docs\`. Change packages/uat-scenarios/src. -->

With \`DESPATCH_ENVIRONMENT=uat\` the services return the outcomes on this page for its numbers and recipients, whatever
the records contain. They look up every other number in the records. In production these values have no
special meaning. Callers authenticate as in production, and their requests are audited.

\`GET /uat/scenarios\` lists the same outcomes as JSON, each with an example request. It requires no credentials.
\`?api=\` takes ${listApis()}.
Dates in the answers move with the clock.

## Vehicles

\`POST /vehicle-enquiry/v1/vehicles\` with \`{"registrationNumber": "…"}\`. AA19…, ER19… and L2WPS are the agency's public
test numbers. Our own are \`UAT1nn\` for the tax status, \`UAT2nn\` for the MOT status and \`UAT3nn\` for the members of a
vehicle. \`UAT4nn\` and \`UAT5nn\` return the status that they name.

${markdownTable(
  ['registrationNumber', 'status', 'what'],
  vehicleScenarios.map(({ registrationNumber, title, status }) => [
    code(registrationNumber),
    String(status),
    title,
  ]),
)}

## Drivers

\`POST /full-driver-enquiry/v1/driving-licences/retrieve\` with \`{"drivingLicenceNumber": "…"}\`. In our own numbers, the
first five letters name the subject, and the month and day of birth the case. The answer contains CPC and tachograph
data only if requested (\`includeCPC\`, \`includeTacho\`).

${markdownTable(
  ['drivingLicenceNumber', 'status', 'what'],
  plainDrivers.map(({ drivingLicenceNumber, title, status }) => [
    code(drivingLicenceNumber),
    String(status),
    title,
  ]),
)}

### Partial responses

The table shows the status for a request with \`includeCPC\` and \`includeTacho\`, by \`acceptPartialResponse\`. After
\`SRC\`, one letter shows what the source of CPC data does, the next what the source of tachograph data does: \`A\` it
answers, \`F\` it fails, \`U\` it is unavailable, \`T\` it times out. Without the two members these drivers return 200.

${markdownTable(
  ['drivingLicenceNumber', ...partialAcceptances.map(code)],
  sourceDrivers.flatMap(({ drivingLicenceNumber, outcome }) =>
    outcome.kind !== 'record'
      ? []
      : [
          [
            code(drivingLicenceNumber),
            ...partialAcceptances.map((accepts) => String(partialResponseStatus(outcome, accepts))),
          ],
        ],
  ),
)}

## Driver find

\`POST /driver-find/v1/drivers/find\` searches ${uatFindDrivers.length} drivers. Full driver enquiry returns each of them too.

${markdownList(findScenarios.map(describeSearch))}

A search by one of these last names is refused, whatever the other criteria are:

${markdownTable(
  ['lastName', 'status', 'what'],
  findRefusals.map(({ lastName, status, title }) => [code(lastName), String(status), title]),
)}

## Print jobs

${wrap(`A print job for one of these recipients (\`standardParams.recipientName\`, exactly as written) ends or stays in the
status below, whatever its contract, address and files. It is accepted with 202 like any other: the
request must be valid, and its uploads must have arrived, also in a dry run. The files of a \`UAT REJECT\` are not checked.
The comments are those of
a print job whose first file is \`${exampleJob.fileId}\`, under a contract of at most ${exampleJob.pagesMax} pages. Timeline,
proof and dry run of a \`UAT REJECT\` show the finding that a real letter would have. The simulated print provider does the provider's part.`)}

${markdownList(
  printScenarios.map(({ recipientName, status, title, comment }) => ({
    text: `${code(recipientName)}, ${code(status)}: ${title}`,
    below: comment ? [`comment: ${comment(exampleJob)}`] : [],
  })),
)}

### Callbacks that fail

\`POST /uat/receiver/{behaviour}\` accepts callbacks and stores nothing. Use it as the \`target\` of a print job's
\`callbackParams\`, with \`retryParams.enabled\`, to see how callbacks are retried.

${markdownTable(
  ['behaviour', 'the callback is'],
  receiverBehaviours.map((behaviour) => [code(behaviour), received[behaviour]]),
)}
`
}

function listApis(): string {
  return [...new Set(listScenarios().map(({ api }) => code(api)))].join(', ')
}

function describeSearch(scenario: FindScenario) {
  const { title, criteria, options, totalCount } = scenario
  const asked = [
    `criteria ${code(JSON.stringify(criteria))}`,
    ...(options ? [`options ${code(JSON.stringify(options))}`] : []),
    ...pageOf(scenario),
  ]
  return {
    text: title,
    below: [asked.join(', '), `finds ${findsOf(scenario)}; \`x-total-count\` is ${totalCount}`],
  }
}

function pageOf({ limit, offset }: FindScenario): string[] {
  return [
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
  ]
}

const numbersNamedMax = 3

function findsOf({ finds }: FindScenario): string {
  if (finds.length <= numbersNamedMax) return finds.map(code).join(', ') || 'no driver'
  return `${finds.length}, from ${code(finds[0]!)} to ${code(finds.at(-1)!)}`
}

function code(text: string): string {
  return `\`${text}\``
}
