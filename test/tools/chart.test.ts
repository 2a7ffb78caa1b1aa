import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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

const fewest = [
  'Deployment',
  'Job',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Service',
  'ServiceAccount',
]

const store = { settings: { S3_ENDPOINT: 'https://s3.eu-west-2.amazonaws.com' } }
const everything = {
  ...store,
  environment: 'uat',
  image: { pullSecrets: [{ name: 'registry' }] },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/despatch' } },
  services: {
    'thirdparty-access': {
      env: { DESPATCH_MAIL_FROM: 'print@example.com' },
      egress: [{ to: [{ ipBlock: { cidr: '10.9.9.9/32' } }], ports: [{ port: 587 }] }],
    },
  },
  externalSecrets: { enabled: true, store: { name: 'vault' } },
  ingress: { enabled: true, className: 'nginx', host: 'print.example', tlsSecret: 'tls' },
  networkPolicy: { gatewayFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
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
    'with %s is what Kubernetes and its operators accept',
    async ([, given, resources, kinds]) => {
      runHelm(['lint', '--strict'], given)
      expect([...new Set(resources.map(({ kind }) => kind))].sort()).toEqual(kinds)
      for (const resource of resources) {
        const { [resource.kind]: Model } = await import(models[resource.kind]!)
        expect(new Model(resource).validate(), resource.metadata.name).toBeUndefined()
      }
    },
  )

  test('has no member that Kubernetes and its operators do not know', async () => {
    expect(await compile([...least, ...whole])).toBe('')
  })

  test('refuses a secret among the settings, and a value that it does not know', () => {
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

  test('runs each process as nobody in particular, without a writable root', () => {
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

  test('has a policy for every pod, and lets only callbacks reach the internet', () => {
    const policies = of('NetworkPolicy', whole)
    const selected = policies.map(({ spec }) => spec.podSelector.matchLabels)
    const pods = whole.flatMap(({ kind, spec }) =>
      kind === 'Deployment' || kind === 'Job' ? [spec.template.metadata.labels] : [],
    )
    const open = policies.filter(({ spec }) =>
      spec.egress.some(
        ({
          to = [{ ipBlock: { cidr: '0.0.0.0/0' } }],
        }: {
          to?: { ipBlock?: { cidr: string } }[]
        }) => to.some(({ ipBlock }) => ipBlock?.cidr.endsWith('/0')),
      ),
    )

    expect(selected.length).toBe(pods.length)
    for (const labels of selected) {
      expect(
        pods.filter((pod) => expect.objectContaining(labels).asymmetricMatch(pod)).length,
      ).toBe(1)
    }
    expect(open.map(({ metadata }) => metadata.name)).toEqual(['d-callbacks'])
    for (const { spec } of policies) expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
    expect(open[0]!.spec.egress.at(-1).to[0].ipBlock.except).toContain('169.254.0.0/16')
  })

  test('migrates before a release, with the secret that only the migration has', () => {
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

  test('scales by metrics that the system has', () => {
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
