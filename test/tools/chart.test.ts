import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { secretNames } from '@despatch/config/secret-settings'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readText, root } from '../guards/tree.ts'

const chart = 'infra/chart'
const values = parse(readText(`${chart}/values.yaml`))
const isAllowed = new Ajv2020().compile(JSON.parse(readText(`${chart}/values.schema.json`)))
const hasHelm = spawnSync('helm', ['version']).status === 0

type Resource = {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check what is in it
  spec: any
}

/** The module with the schema of each kind, and the name of its type. */
const models: Record<string, string> = {
  Deployment: 'kubernetes-models/apps/v1',
  ExternalSecret: '@kubernetes-models/external-secrets/external-secrets.io/v1',
  Ingress: 'kubernetes-models/networking.k8s.io/v1',
  Job: 'kubernetes-models/batch/v1',
  NetworkPolicy: 'kubernetes-models/networking.k8s.io/v1',
  PodDisruptionBudget: 'kubernetes-models/policy/v1',
  ScaledObject: '@kubernetes-models/keda/keda.sh/v1alpha1',
  Service: 'kubernetes-models/v1',
  ServiceAccount: 'kubernetes-models/v1',
  ServiceMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
}

const fewest = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']

const store = {
  settings: { S3_ENDPOINT: 'https://s3.eu-west-2.amazonaws.com' },
  networkPolicy: { stores: { database: { cidrs: ['10.20.30.0/28'] } } },
}
const role = (program: string) => ({
  annotations: { 'eks.amazonaws.com/role-arn': `arn:aws:iam::1:role/${program}` },
})
/** Those that reach the object store, and those whose role signs in to the database. */
const withRole = ['driver-sources', 'fulfilment', 'migrate', 'pipeline', 'print-request']
const everything = {
  ...store,
  environment: 'uat',
  image: { pullSecrets: [{ name: 'registry' }] },
  serviceAccounts: Object.fromEntries(withRole.map((program) => [program, role(program)])),
  services: {
    'thirdparty-access': {
      env: { DESPATCH_MAIL_FROM: 'print@example.com' },
      egress: [{ to: [{ ipBlock: { cidr: '10.9.9.9/32' } }], ports: [{ port: 587 }] }],
    },
  },
  externalSecrets: { enabled: true, store: { name: 'vault' } },
  ingress: { enabled: true, className: 'nginx', host: 'print.example', tlsSecret: 'tls' },
  networkPolicy: {
    gatewayFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    stores: {
      database: { cidrs: ['10.20.30.0/28'] },
      queue: { cidrs: ['10.20.40.0/28', '10.20.40.16/28'] },
      objects: { cidrs: ['10.20.50.0/28'] },
    },
  },
  keda: { enabled: true },
  serviceMonitor: {
    enabled: true,
    labels: { release: 'prometheus' },
    token: { secret: 'metrics' },
  },
}

describe.skipIf(!hasHelm)('the chart', () => {
  const least = hasHelm ? render(store) : []
  const whole = hasHelm ? render(everything) : []

  test.for([
    ['the fewest values', store, least, fewest],
    ['everything switched on', everything, whole, Object.keys(models)],
  ] as const)(
    'with %s is accepted by Kubernetes and its operators',
    async ([, given, resources, kinds]) => {
      runHelm(['lint', '--strict'], given)
      expect([...new Set(resources.map(({ kind }) => kind))].sort()).toEqual(kinds)
      for (const resource of resources) {
        const { [resource.kind]: Model } = await import(models[resource.kind]!)
        expect(new Model(resource).validate(), resource.metadata.name).toBeUndefined()
      }
    },
  )

  test('has only members that Kubernetes and its operators know', async () => {
    expect(await compile([...least, ...whole])).toBe('')
  })

  test('refuses a secret among the settings, and an unknown value', () => {
    const settings = { ...values.settings, ...store.settings }
    const allows = (setting: object) => [
      isAllowed({ ...values, settings: { ...settings, ...setting } }),
      isAllowed({ ...values, settings, services: { pipeline: { env: setting } } }),
    ]
    expect(allows({ LOG_LEVEL: 'info' })).toEqual([true, true])
    for (const name of secretNames) expect(allows({ [name]: 'x' }), name).toEqual([false, false])
    const forbidden = { settings: { ...store.settings, QUEUE_URL: 'x' } }
    expect(() => render(forbidden)).toThrow('QUEUE_URL')
    expect(() => render({ ...store, service: {} })).toThrow(/service/)
    expect(() => render({})).toThrow(/S3_ENDPOINT/)
    expect(() => render({ settings: store.settings })).toThrow('stores.database.cidrs')
    const gateway = { ...store, serviceAccounts: { gateway: role('gateway') } }
    expect(() => render(gateway)).toThrow("invalid propertyName 'gateway'")
    const withoutRole = { ...store, serviceAccounts: { pipeline: { annotations: {} } } }
    expect(() => render(withoutRole)).toThrow(/annotations/)
  })

  test('runs the processes of docker-compose.yml, with the same arguments and addresses', () => {
    const { services } = parse(readText('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { command?: string[]; environment?: Record<string, string> }>
    }
    const composed = Object.entries(services).filter(([, { command }]) =>
      command?.[1]?.startsWith('services/'),
    )
    const own = ['DESPATCH_ROUTES', 'DESPATCH_DRIVER_SOURCE', 'DESPATCH_ADMINISTRATION_URL']
    const addresses = [...own, 'DESPATCH_CPC_URL', 'DESPATCH_TACHOGRAPH_URL']

    const rendered = of('Deployment', whole).map(({ metadata, spec }) => {
      const [{ args, env }] = spec.template.spec.containers
      const settings = (env as { name: string; value: string }[])
        .filter(({ name }) => addresses.includes(name))
        .map(({ name, value }) => [name, value.replaceAll('http://d-', 'http://')])
      return [metadata.name.slice('d-'.length), args, Object.fromEntries(settings)]
    })

    expect(new Map(rendered.map(([name, ...rest]) => [name, rest]))).toEqual(
      new Map(
        composed.map(([name, { command, environment = {} }]) => [
          name,
          [
            command,
            Object.fromEntries(
              Object.entries(environment).filter(([key]) => addresses.includes(key)),
            ),
          ],
        ]),
      ),
    )
  })

  test('runs each process as an unprivileged user, without a writable root', () => {
    const pods = whole.filter(({ kind }) => /^(Deployment|Job)$/.test(kind))

    for (const { spec } of pods) {
      const { containers, securityContext, ...pod } = spec.template.spec
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
      expect(containers[0].securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
    }
    expect(pods.length).toBe(15)
  })

  test('has a service account for exactly the programs with a role', () => {
    const accounts = of('ServiceAccount', whole)
    const used = whole.flatMap(({ kind, metadata, spec }) =>
      kind === 'Deployment' || kind === 'Job'
        ? [[metadata.name, spec.template.spec.serviceAccountName]]
        : [],
    )

    expect(accounts.map(({ metadata }) => metadata.name).sort()).toEqual(
      withRole.map((program) => `d-${program}`),
    )
    for (const { metadata } of accounts) {
      expect(metadata.annotations).toMatchObject(role(metadata.name.slice('d-'.length)).annotations)
    }
    expect(Object.fromEntries(used.filter(([, account]) => account))).toEqual({
      'd-cpc-source': 'd-driver-sources',
      'd-fulfilment': 'd-fulfilment',
      'd-migrate': 'd-migrate',
      'd-pipeline': 'd-pipeline',
      'd-print-request': 'd-print-request',
      'd-tachograph-source': 'd-driver-sources',
    })
    expect(of('ServiceAccount', least)).toEqual([])
  })

  test('has a network policy for every pod that allows only its own traffic', () => {
    const policies = of('NetworkPolicy', whole)
    const selected = policies.map(({ spec }) => spec.podSelector.matchLabels)
    const pods = whole.flatMap(({ kind, spec }) =>
      kind === 'Deployment' || kind === 'Job' ? [spec.template.metadata.labels] : [],
    )

    expect(selected.length).toBe(pods.length)
    for (const labels of selected) {
      expect(
        pods.filter((pod) => expect.objectContaining(labels).asymmetricMatch(pod)).length,
      ).toBe(1)
    }
    for (const { spec } of policies) expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
    const database = '10.20.30.0/28:5432'
    const queue = ['10.20.40.0/28:6379', '10.20.40.16/28:6379']
    const objects = '10.20.50.0/28:443'
    expect(
      Object.fromEntries(policies.map(({ metadata, spec }) => [metadata.name, goesTo(spec)])),
    ).toEqual({
      'd-administration': [database, ...queue, objects],
      'd-callbacks': [database, ...queue, '0.0.0.0/0:every', '::/0:every'],
      'd-cpc-source': [database],
      'd-driver-find': [database, ...queue],
      'd-fulfilment': [database, ...queue, objects],
      'd-full-driver-enquiry': [database, ...queue, 'cpc-source:http', 'tachograph-source:http'],
      'd-gateway': [
        ...['driver-find', 'fulfilment', 'full-driver-enquiry', 'print-request'],
        ...['thirdparty-access', 'uat', 'vehicle-enquiry'],
      ].map((service) => `${service}:http`),
      'd-migrate': [database, ...queue],
      'd-ops-console': [database, ...queue, 'administration:http'],
      'd-pipeline': [database, ...queue, objects],
      'd-print-request': [database, ...queue, objects],
      'd-tachograph-source': [database],
      'd-thirdparty-access': [database, ...queue, '10.9.9.9/32:587'],
      'd-uat': [database, ...queue],
      'd-vehicle-enquiry': [database, ...queue],
    })
  })

  test('lets callbacks reach only public addresses', () => {
    const callbacks = of('NetworkPolicy', whole).find(
      ({ metadata }) => metadata.name === 'd-callbacks',
    )
    const [ipv4, ipv6] = callbacks!.spec.egress.at(-1).to
    const isExcept = ({ ipBlock }: { ipBlock: { except: string[] } }, address: string) => {
      const refused = new BlockList()
      for (const range of ipBlock.except) {
        const [network, prefix] = range.split('/')
        refused.addSubnet(network!, Number(prefix), isIPv6(network!) ? 'ipv6' : 'ipv4')
      }
      return refused.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
    }

    const inside = ['10.1.2.3', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.1.1']
    for (const address of [...inside, '0.0.0.0', '224.0.0.1', '255.255.255.255']) {
      expect(isExcept(ipv4, address), address).toBe(true)
    }
    for (const address of ['::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', '64:ff9b::a00:1']) {
      expect(isExcept(ipv6, address), address).toBe(true)
    }
    expect(isExcept(ipv4, '8.8.8.8')).toBe(false)
    expect(isExcept(ipv6, '2a00:1450::1')).toBe(false)
  })

  test('migrates before a release, with a secret that only the migration has', () => {
    const [job] = of('Job', whole)
    const secrets = of('ExternalSecret', whole)
    const secretsRead = whole.flatMap(({ kind, metadata, spec }) =>
      kind === 'Deployment' || kind === 'Job'
        ? [[metadata.name, spec.template.spec.containers[0].envFrom[0].secretRef.name]]
        : [],
    )

    expect(job!.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(secretsRead.filter(([, secret]) => secret === 'd-migrate')).toEqual([
      ['d-migrate', 'd-migrate'],
    ])
    // the gateway has no secret
    expect(new Set(secrets.map(({ spec }) => spec.target.name))).toEqual(
      new Set(secretsRead.map(([, secret]) => secret).filter((name) => name !== 'd-gateway')),
    )
  })

  test('scales by existing metrics', () => {
    const known = readText('docs/metrics.md')
    const queries = of('ScaledObject', whole).flatMap(({ spec }) =>
      spec.triggers.flatMap(
        ({ metadata }: { metadata: { query?: string } }) => metadata.query ?? [],
      ),
    )
    const metrics = queries.map((query: string) => /(\w+)\{/.exec(query)?.[1])

    expect(metrics).toEqual([
      'callbacks_due',
      'callbacks_late_seconds',
      'letters_waiting',
      'letters_waiting_oldest_seconds',
    ])
    for (const metric of metrics) expect(known).toContain(`- \`${metric}\`, gauge`)
  })
})

function render(given: object): Resource[] {
  return parseAllDocuments(runHelm(['template', 'd'], given))
    .map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS()
    })
    .filter(Boolean)
}

/** Returns what a command of Helm prints for the chart with these values. */
function runHelm(command: readonly string[], given: object): string {
  const { status, stdout, stderr } = spawnSync('helm', [...command, '-f', '-', join(root, chart)], {
    input: JSON.stringify(given),
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`helm ${command.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

type Rule = {
  to: {
    ipBlock?: { cidr: string }
    podSelector?: { matchLabels: Record<string, string> }
    namespaceSelector?: object
  }[]
  ports?: { port: number | string }[]
}

/** Returns where a policy lets its pod go, as `address:port`, without DNS. */
function goesTo({ egress }: { egress: Rule[] }): string[] {
  return egress
    .filter(({ ports = [] }) => !ports.some(({ port }) => port === 53))
    .flatMap(({ to, ports = [{ port: 'every' }] }) =>
      to.flatMap(({ ipBlock, podSelector }) => {
        const place = ipBlock?.cidr ?? podSelector?.matchLabels['app.kubernetes.io/component']
        return ports.map(({ port }) => `${place}:${port}`)
      }),
    )
}

function of(kind: string, resources: readonly Resource[]): Resource[] {
  return resources.filter((resource) => resource.kind === kind)
}

/**
 * Returns what the compiler says about the resources as literals: it refuses members that it does not know, such as
 * misspelt ones, which the schemas ignore.
 */
async function compile(resources: readonly Resource[]): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules/.chart-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const lines = resources.map(
    (resource, index) =>
      `export const r${index}: import('${models[resource.kind]}').I${resource.kind} = ${JSON.stringify(resource)}`,
  )
  await writeFile(join(folder, 'resources.ts'), lines.join('\n'))
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    skipLibCheck: true,
    types: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const compiler = join(root, 'node_modules/.bin/tsc')
  const { stdout, stderr } = spawnSync(compiler, ['-p', folder], { encoding: 'utf8' })
  return stdout + stderr
}
