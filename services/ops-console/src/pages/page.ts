/** A page of the console. Its script, a module below /console, fetches the content. */
export type Page = {
  path: `/${string}`
  title: string
  script: string
  /** Open pages require no session, and show no links. */
  isOpen?: boolean
  /** Its place in the navigation. A page without a place is within one that has a place. */
  place?: { section: 'work' | 'system'; icon: string }
  within?: `/${string}`
}

const work = (icon: string) => ({ section: 'work', icon }) as const
const system = (icon: string) => ({ section: 'system', icon }) as const

/** The pages, in the order of the navigation. */
export const pages: readonly Page[] = [
  { path: '/', title: 'Now', script: 'pages/now.ts', place: work('now') },
  { path: '/print-jobs', title: 'Letters', script: 'pages/letters.ts', place: work('letters') },
  { path: '/print-job', title: 'Letter', script: 'pages/letter.ts', within: '/print-jobs' },
  {
    path: '/bulk-actions',
    title: 'Bulk actions',
    script: 'pages/bulk-actions.ts',
    within: '/print-jobs',
  },
  { path: '/print-runs', title: 'Runs', script: 'pages/runs.ts', place: work('runs') },
  {
    path: '/callbacks',
    title: 'Callbacks',
    script: 'pages/callbacks.ts',
    place: work('callbacks'),
  },
  {
    path: '/consumers',
    title: 'Consumers',
    script: 'pages/consumers.ts',
    place: work('consumers'),
  },
  { path: '/queue-control', title: 'Queues', script: 'pages/queues.ts', place: system('queues') },
  { path: '/health', title: 'Health', script: 'pages/health.ts', place: system('health') },
  { path: '/figures', title: 'Metrics', script: 'pages/metrics.ts', place: system('metrics') },
  { path: '/audit', title: 'Audit', script: 'pages/audit.ts', place: system('audit') },
  { path: '/sign-in', title: 'Sign in', script: 'pages/sign-in.ts', isOpen: true },
]
