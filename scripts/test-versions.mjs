// Runs the tests that need a database on each supported version of PostgreSQL, in containers of the official images.
// Versions may be given: `npm run test-versions -- 15 17`. It takes about a quarter of an hour for each.
import { runStep, summaryLine } from './run-step.mjs'

const supported = ['15', '16', '17', '18']
const projects = ['component', 'lost-replies', 'journeys', 'e2e', 'recovery', 'smoke', 'under-fire']

const given = process.argv.slice(2)
const unknown = given.filter((version) => !supported.includes(version))
if (unknown.length > 0) {
  console.error(`Unsupported: ${unknown.join(', ')}. The versions are ${supported.join(', ')}.`)
  process.exit(2)
}

const results = []
for (const version of given.length > 0 ? given : supported) {
  const chosen = projects.flatMap((project) => ['--project', project])
  const result = await runStep({
    name: `PostgreSQL ${version}`,
    command: ['vitest', 'run', ...chosen],
    env: { TEST_INFRA: 'containers', TEST_POSTGRES_IMAGE: `postgres:${version}-bookworm` },
    show: true,
  })
  results.push(result)
}
for (const result of results) console.log(summaryLine(result))
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
