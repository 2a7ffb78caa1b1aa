import { Gauge, type Registry } from '@despatch/telemetry/metrics'

type Sample = { value: number | null; labels?: Record<string, string> }

/** A gauge whose samples are computed from figures. */
export type FigureGauge<Figures> = {
  name: string
  help: string
  labelNames?: string[]
  samples: (figures: Figures) => Sample[]
}

/**
 * Registers gauges whose figures are read at each scrape. While the figures cannot be read, the gauges have no samples.
 */
export function registerFigureGauges<Figures>(
  registry: Registry,
  gauges: readonly FigureGauge<Figures>[],
  read: () => Promise<Figures>,
): void {
  for (const { name, help, labelNames = [], samples } of gauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const figures = await read().catch(() => undefined)
        this.reset()
        for (const { labels, value } of figures ? samples(figures) : []) {
          this.set(labels ?? {}, value ?? 0)
        }
        // A reset sets a gauge without labels to 0, which would look like a figure.
        if (!figures && labelNames.length === 0) this.remove()
      },
    })
  }
}
