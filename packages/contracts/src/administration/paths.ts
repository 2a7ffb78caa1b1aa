export const administrationPrefix = '/administration'
export const administrationPath = `${administrationPrefix}/v1`
