export type Sample = { labels: string; value: number }
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
