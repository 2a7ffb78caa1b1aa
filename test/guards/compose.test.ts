import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { secretNames } from '@despatch/config/secret-settings'
import { deriveKeys, keySettingNames } from '@despatch/config/service-keys'
import { databaseServices, roleOf } from '@despatch/postgres/service-roles'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { paths, readText, root } from './tree.ts'

type Container = {
  image?: string
  command?: string[]
  environment?: Record<string, string>
  volumes?: string[]
}

const text = readText('docker-compose.yml')
const { services: containers } = parse(text, { merge: true }) as {
  services: Record<string, Container>
}
const environmentOf = ({ environment = {} }: Container) => environment
const hasDatabase = Object.values(containers).filter(({ environment }) => environment?.DATABASE_URL)

/** The secrets of each service besides the address of the database and its keys. */
const objects = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
const collector = 'OTEL_EXPORTER_OTLP_HEADERS'
const secretsOf: Record<(typeof databaseServices)[number], string[]> = {
  administration: [...objects, 'DESPATCH_OIDC_CLIENT_SECRET'],
  callbacks: [],
  'driver-find': [],
  'driver-sources': ['DESPATCH_SOURCE_TOKEN'],
  fulfilment: objects,
  'full-driver-enquiry': ['DESPATCH_SOURCE_TOKEN'],
  'ops-console': [],
  pipeline: objects,
  'print-request': objects,
  'thirdparty-access': [],
  uat: [],
  'vehicle-enquiry': [],
}

test('every secret is required and has no default', () => {
  const variables = [
    ...text.matchAll(
      /\$\{(\w*(?:PASSWORD|KEY|KEY_ID|TOKEN)|DESPATCH_KEY_(?!\w*_PREVIOUS)\w+)(:[^}]*)?\}/g,
    ),
  ]

  expect(variables.length).toBeGreaterThan(20)
  expect(variables.filter(([, , rule]) => rule !== ':?')).toEqual([])
})

test.for(databaseServices)('%s has exactly its own login and its own secrets', (service) => {
  const own = Object.values(containers).filter(({ command }) =>
    command?.includes(`services/${service}/src/main.ts`),
  )
  expect(own.length).toBeGreaterThan(0)
  for (const container of own) {
    const environment = environmentOf(container)
    const password = `\${${service.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD:?}`
    expect(environment.DATABASE_URL).toBe(
      `postgresql://${roleOf(service)}:${password}@postgres:5432/despatch`,
    )
    const secrets = Object.keys(environment).filter(
      (name) => secretNames.includes(name) && !['DATABASE_URL', 'QUEUE_URL'].includes(name),
    )
    expect(secrets.sort()).toEqual(
      [...secretsOf[service], ...keySettingNames(service), collector].sort(),
    )
  }
})

test("only the database and the preparation have the owner's password, and no service has the users' credentials", () => {
  const owners = Object.entries(containers).filter(([, container]) =>
    JSON.stringify(container).includes('POSTGRES_PASSWORD'),
  )
  expect(owners.map(([name]) => name)).toEqual(['postgres', 'prepare'])

  const withUsers = Object.entries(containers).filter(([, { volumes = [] }]) =>
    volumes.includes('data:/data'),
  )
  expect(withUsers.map(([name]) => name)).toEqual(['prepare', 'provider-simulator'])
  expect(hasDatabase.length).toBeGreaterThan(databaseServices.length)
})

test('Redis requires a password, which every client has and no command line shows', () => {
  const { command, environment } = containers.redis!
  const clients = Object.values(containers).flatMap((each) => environmentOf(each).QUEUE_URL ?? [])

  const password = `\${REDIS_PASSWORD:?}`
  expect(environment).toEqual({ REDIS_PASSWORD: password })
  expect(command?.at(-1)).toMatch(
    /^exec docker-entrypoint\.sh .* <<END\nrequirepass \$\$REDIS_PASSWORD\nEND\n$/,
  )
  expect(clients.length).toBeGreaterThan(databaseServices.length)
  expect([...new Set(clients)]).toEqual([`redis://:${password}@redis:6379`])
})

test('the preparation creates the login of every service', () => {
  const given = environmentOf(containers.prepare!).DESPATCH_DATABASE_PASSWORDS ?? ''

  expect(given.split(' ').map((each) => each.split('=', 1)[0])).toEqual([...databaseServices])
})

test('the simulated factory may send its credentials over the network of the containers', () => {
  expect(environmentOf(containers['provider-simulator']!)).toMatchObject({
    DESPATCH_BASE_URL: 'http://gateway:8080',
    DESPATCH_PROVIDER_INSECURE_HTTP: 'true',
  })
})

test('the program that creates the secrets creates every required one', () => {
  const program = join(root, 'infra/containers/src/make-secrets-main.mjs')
  const made = execFileSync(process.execPath, [program], { encoding: 'utf8' }).trim().split('\n')

  const required = new Set([...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name))
  const secrets = Object.fromEntries(
    made.map((line) => /^(\w+)=([0-9a-f]{64})$/.exec(line)!.slice(1)),
  )
  expect(Object.keys(secrets)).toEqual(['DESPATCH_SECRET_KEY', ...required])
  expect(secrets).toMatchObject(deriveKeys(secrets.DESPATCH_SECRET_KEY))
})

test('no container has the root key', () => {
  expect(text).not.toMatch(/^[^#]*DESPATCH_SECRET_KEY/m)
})

test('containers of the image write only to their volumes and /tmp, and have no capabilities', () => {
  const own = Object.entries(containers).filter(([, { image }]) => image === 'despatch')

  expect(own.length).toBeGreaterThan(databaseServices.length)
  for (const [name, container] of own) {
    expect({ name, ...container }).toMatchObject({
      name,
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  }
})

test('the image has a limit of size, a user, an init and a health check', () => {
  const image = readText('Dockerfile')

  expect(image).toContain('exit bytes > 333000000')
  expect(image).toMatch(/^USER 1000:1000$/m)
  expect(image).toMatch(/^ENTRYPOINT \["tini", "--"\]$/m)
  expect(image).toMatch(/^HEALTHCHECK .*"infra\/containers\/src\/liveness-main\.ts"\]$/m)
})

test('the image has the bundle of the console, and no bundler', () => {
  const image = readText('Dockerfile')

  expect(image).toMatch(/^RUN node services\/ops-console\/src\/web\/build-bundle-main\.ts$/m)
  expect(image).toMatch(/^COPY --from=console \/app\/services\/ops-console\/dist /m)
  expect(image).toContain(
    'rm -rf node_modules/typescript node_modules/@typescript node_modules/esbuild',
  )
})

test('the chart has only settings that the services read', () => {
  const { settings } = parse(readText('infra/chart/values.yaml')) as { settings: object }
  const templates = paths.filter((path) => path.startsWith('infra/chart/templates/'))
  const text = templates.map(readText).join('\n')
  const names = [...Object.keys(settings), ...(text.match(/\b(DESPATCH|S3)_[A-Z0-9_]+\b/g) ?? [])]
  const known = readText('docs/configuration.md')

  expect(names.length).toBeGreaterThan(8)
  expect(names.filter((name) => !known.includes(`\`${name}\``))).toEqual([])
})
