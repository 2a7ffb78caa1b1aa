/** A page of the console. Its script, named after its module in public/pages, fetches the content. */
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
  { path: '/', title: 'Now', script: 'now', place: work('now') },
  { path: '/print-jobs', title: 'Letters', script: 'letters', place: work('letters') },
  { path: '/print-job', title: 'Letter', script: 'letter', within: '/print-jobs' },
  {
    path: '/bulk-actions',
    title: 'Bulk actions',
    script: 'bulk-actions',
    within: '/print-jobs',
  },
  { path: '/print-runs', title: 'Runs', script: 'runs', place: work('runs') },
  {
    path: '/callbacks',
    title: 'Callbacks',
    script: 'callbacks',
    place: work('callbacks'),
  },
  { path: '/templates', title: 'Templates', script: 'templates', place: work('templates') },
  {
    path: '/consumers',
    title: 'Consumers',
    script: 'consumers',
    place: work('consumers'),
  },
  { path: '/queue-control', title: 'Queues', script: 'queues', place: system('queues') },
  { path: '/health', title: 'Health', script: 'health', place: system('health') },
  { path: '/figures', title: 'Metrics', script: 'metrics', place: system('metrics') },
  { path: '/audit', title: 'Audit', script: 'audit', place: system('audit') },
  { path: '/sign-in', title: 'Sign in', script: 'sign-in', isOpen: true },
]
