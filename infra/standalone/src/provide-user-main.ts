// Creates the first user of a system, or replaces the credentials of one who has lost them, in the database alone.
import { parseArgs } from 'node:util'
import { readConfig } from '@despatch/config/read-config'
import { databaseSettings, environmentSettings } from '@despatch/config/shared-settings'
import { writeShellVariables } from '@despatch/config/shell-variables'
import { z } from 'zod'
import type { Credential } from './credentials.ts'
import { explainStartFailure } from './explain-start-failure.ts'
import { provideUser, rolesOfPeople, type UserOrder } from './provide-user.ts'

const usage = `npm run provide-user -- <user name> [--role ROLE …] [--reset]

  --role ROLE   role of a new user, can be repeated: ${rolesOfPeople.join(', ')} (operator and admin)
  --reset       replace the password and the API key of an existing user

Requires DATABASE_URL of the database's owner. Prints the credentials once, as variables for a shell.
`

const refusals = {
  exists: 'exists, and was not changed. With --reset it gets a new password and API key',
  disabled: 'is disabled, and was not changed. Another admin can enable it',
}

const order = readOrder()
if (typeof order === 'string') {
  process.stderr.write(`${order}\n\n${usage}`)
  process.exit(2)
}
try {
  const config = readConfig(z.object({ ...databaseSettings, ...environmentSettings }), process.env)
  const provided = await provideUser(config.DATABASE_URL, order)
  if (provided.kind === 'created' || provided.kind === 'reset') {
    const { kind, credential, roles } = provided
    process.stderr.write(
      `${credential.userName} (${roles.join(', ')}): ${kind}. Its credentials are shown only once.\n`,
    )
    process.stdout.write(variablesOf(credential))
  } else {
    process.stderr.write(`${order.userName} ${refusals[provided.kind]}.\n`)
    process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`No user was provided: ${explainStartFailure(error)}\n`)
  process.exitCode = 1
}

/** Returns what the arguments ask for, or what is wrong with them. */
function readOrder(): UserOrder | string {
  const options = {
    role: { type: 'string', multiple: true },
    reset: { type: 'boolean', default: false },
  } as const
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const { role: wanted = ['operator', 'admin'], reset } = values
    const [userName = '', ...more] = positionals
    if (more.length > 0 || !/^[\w.@-]{3,64}$/.test(userName)) {
      return 'Give one user name, of 3 to 64 letters, digits and . @ - _'
    }
    const roles = rolesOfPeople.filter((role) => wanted.includes(role))
    const unknown = wanted.find((role) => !roles.some((known) => known === role))
    if (unknown !== undefined) return `--role must be one of: ${rolesOfPeople.join(', ')}`
    return { userName, roles, reset }
  } catch (error) {
    return (error as Error).message
  }
}

function variablesOf({ userName, password, apiKey }: Credential): string {
  return writeShellVariables({
    DESPATCH_USER_NAME: userName,
    DESPATCH_PASSWORD: password,
    DESPATCH_API_KEY: apiKey,
  })
}
