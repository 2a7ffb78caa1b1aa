/** The consumer of canaries: entries in the waiting work without a letter. No consumer has this id. */
export const canaryConsumerId = '00000000-0000-0000-0000-000000000000'
