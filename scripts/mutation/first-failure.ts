import fc from 'fast-check'

/** The first case that fails finds a mutant. A search for a smaller one takes so long that the mutant seems to hang. */
fc.configureGlobal({ endOnFailure: true })
