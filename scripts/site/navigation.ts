import { fileURLToPath } from 'node:url'
import { listFiles } from '../list-files.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const files = listFiles()

/** Pages below one heading of the navigation, as paths from the root of the tree. */
type Group = { heading: string; pages: readonly string[] }

/** One of the four kinds of documents: https://diataxis.fr. */
type Section = { heading: string; groups: readonly Group[] }

/** The navigation of the site. Its home page is the landing page instead of README.md. */
export const navigation: readonly Section[] = [
  {
    heading: 'Tutorials',
    groups: [
      { heading: 'Start', pages: ['docs/first-print-jobs.md', 'docs/first-template.md'] },
      {
        heading: 'Print for Despatch',
        pages: [
          'docs/provider-guide.md',
          'docs/provider-guide/taking-a-run.md',
          'docs/provider-guide/production.md',
          'docs/provider-guide/posting-and-closing.md',
          'docs/provider-guide/repeats-limits-and-errors.md',
          'docs/provider-guide/files-instead-of-http.md',
        ],
      },
    ],
  },
  {
    heading: 'How-to guides',
    groups: [
      {
        heading: 'Develop a client',
        pages: [
          'docs/client.md',
          'clients/typescript/README.md',
          'docs/templates.md',
          'docs/callbacks.md',
          'docs/callbacks/signatures.md',
          'docs/callbacks/on-your-machine.md',
          'docs/callbacks/seeing-and-sending-again.md',
          'docs/send-control.md',
          'docs/enquiries.md',
          'docs/provider-conformance.md',
        ],
      },
      {
        heading: 'Operate',
        pages: [
          'docs/operations.md',
          'docs/troubleshooting.md',
          'docs/consumers-and-providers.md',
          'docs/bulk-actions.md',
          'docs/records.md',
          'docs/volumes.md',
          'docs/tracing.md',
        ],
      },
      { heading: 'Runbooks', pages: ['docs/runbooks/README.md', ...pagesIn('docs/runbooks')] },
      {
        heading: 'Deploy',
        pages: [
          'docs/deployment.md',
          'docs/kubernetes.md',
          'docs/scaling.md',
          'docs/single-sign-on.md',
          'docs/secrets.md',
          'docs/upgrading.md',
          'docs/backup-and-restore.md',
          'infra/observability/README.md',
        ],
      },
      { heading: 'Contribute', pages: ['CONTRIBUTING.md'] },
    ],
  },
  {
    heading: 'Reference',
    groups: [
      { heading: 'All documents', pages: ['docs/README.md', 'docs/glossary.md'] },
      {
        heading: 'APIs',
        pages: [
          'docs/request-values.md',
          'docs/state-machine.md',
          'docs/preflight.md',
          'docs/addresses.md',
          'docs/due-dates.md',
          'docs/routing.md',
          'docs/despatch-properties.md',
          'docs/test-environment.md',
          'docs/specification-differences.md',
        ],
      },
      {
        heading: 'Operation',
        pages: [
          'docs/command-line.md',
          'docs/configuration.md',
          'docs/metrics.md',
          'docs/roles.md',
          'docs/retention.md',
        ],
      },
      {
        heading: 'Measurements',
        pages: ['docs/benchmarks.md', 'docs/pipeline-benchmarks.md', 'docs/system-benchmarks.md'],
      },
      {
        heading: 'Versions',
        pages: ['CHANGELOG.md', 'NOTICES.md'],
      },
    ],
  },
  {
    heading: 'Explanation',
    groups: [
      {
        heading: 'How it works',
        pages: [
          'ARCHITECTURE.md',
          'docs/code-map.md',
          'docs/work.md',
          'docs/journey.md',
          'docs/model.md',
          'docs/name-matching.md',
        ],
      },
      { heading: 'Security', pages: ['docs/security.md', 'docs/threat-model.md'] },
      {
        heading: 'Faults',
        pages: [
          'docs/faults.md',
          'docs/fault-tests.md',
          'docs/long-fault-runs.md',
          'docs/promises.md',
        ],
      },
      { heading: 'Decisions', pages: ['docs/decisions/README.md', ...pagesIn('docs/decisions')] },
    ],
  },
]

/** Every page of the site, in the order of the navigation. */
export const pages: readonly string[] = navigation.flatMap(({ groups }) =>
  groups.flatMap((group) => group.pages),
)

/** Returns the pages of a folder in the order of their names, without its README.md. */
function pagesIn(folder: string): string[] {
  const page = new RegExp(`^${folder}/(?!README)[^/]+\\.md$`)
  return files.filter((path) => page.test(path))
}
