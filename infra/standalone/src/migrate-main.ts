import { readConfig } from '@despatch/config/read-config'
import { explainStartFailure } from './explain-start-failure.ts'
import { startInfrastructure } from './infrastructure.ts'
import { standaloneConfig } from './settings.ts'

try {
  const config = readConfig(standaloneConfig, process.env)
  await using parts = new AsyncDisposableStack()
  await startInfrastructure(parts, config, (line) => {
    process.stdout.write(`${line}\n`)
  })
  process.stdout.write('The database and the queues are up to date.\n')
} catch (error) {
  process.stderr.write(`Despatch cannot migrate: ${explainStartFailure(error)}\n`)
  process.exitCode = 1
}
