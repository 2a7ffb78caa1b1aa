import { Registry, renderMetrics } from '@despatch/telemetry/metrics'

/** A registry whose text also includes the metrics of other registries in the same process. */
export class CombinedMetrics extends Registry {
  readonly #others: readonly Registry[]

  constructor(service: string, others: readonly Registry[]) {
    super()
    this.setDefaultLabels({ service })
    this.#others = others
  }

  override metrics(): Promise<string> {
    return renderMetrics([this, ...this.#others])
  }
}
