import { startTypesetters } from '@despatch/templates/typesetters'

// A process that typesets letters, for a test that kills it.
const typesetters = startTypesetters({ processesMax: 1 })
process.on('message', (request: Parameters<typeof typesetters.typeset>[0]) => {
  void typesetters.typeset(request)
})
