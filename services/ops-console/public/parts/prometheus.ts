type Sample = { labels: string; value: number }
export type Metric = { name: string; help: string; type: string; samples: Sample[] }

/** Parses metrics in the text format of Prometheus. Buckets of histograms are left out: their sums and counts stay. */
export function parseMetrics(text: string): Metric[] {
  const metrics = new Map<string, Metric>()
  const of = (name: string) => {
    const metric = metrics.get(name) ?? { name, help: '', type: '', samples: [] }
    metrics.set(name, metric)
    return metric
  }
  for (const line of text.split('\n')) {
    const [, kind, described, words = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (kind === 'HELP') of(described!).help = words
    if (kind === 'TYPE') of(described!).type = words
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)/.exec(line) ?? []
    if (!name || name.endsWith('_bucket')) continue
    const family = metrics.has(name) ? name : name.replace(/_(sum|count)$/, '')
    const suffix = family === name ? '' : name.slice(family.length + 1)
    const shown = [suffix, labels.slice(1, -1).replaceAll('"', '')].filter(Boolean).join(' ')
    of(family).samples.push({ labels: shown, value: Number(value) })
  }
  return [...metrics.values()].filter(({ samples }) => samples.length > 0)
}

/** What metrics are about, by the beginning of their names, in the order in which they are shown. The first one fits. */
const groups: readonly (readonly [name: string, begins: RegExp])[] = [
  ['Print runs', /^(print_run|printing_|print_sites)/],
  [
    'Letters',
    /^(print_job|letters_|stuck_|document_|stage_|work_|bulk_|sweep_|objects_|orphan_|virus_)/,
  ],
  ['Callbacks', /^callback/],
  ['Queues and workers', /^(batch|queue|worker|loop_|clock_|dependency_|invariant_)/],
  ['Requests and access', /^(http_|usage_|credential|driver_|sealed_|recovery_)/],
  ['Database', /^(database_|overview_)/],
  ['Process', /^(process_|nodejs_)/],
]
const others = 'Others'

/** Returns the metrics by what they are about. Empty groups are left out. */
export function groupMetrics(
  metrics: readonly Metric[],
): { group: string; metrics: readonly Metric[] }[] {
  const groupOf = ({ name }: Metric) =>
    groups.find(([, begins]) => begins.test(name))?.[0] ?? others
  const found = Map.groupBy(metrics, groupOf)
  return [...groups.map(([group]) => group), others].flatMap((group) => {
    const inGroup = found.get(group)
    return inGroup ? [{ group, metrics: inGroup }] : []
  })
}
