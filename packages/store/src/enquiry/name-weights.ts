// Written by npm run fit-names. One weight for each of the name_comparisons of migration 0039, in their order.

export const lastNameWeights: readonly number[] = [
  4.5379, 2.1675, -4.6988, -5.3002, -2.1251, 2.3824, -2.5925, 0.4057, 0.6081, -4.7437, -0.4541,
  0.5199, -0.0872, 1.4684, 0.24, 0.4057, 0.5373, -0.2192, 0.9645, 2.3016, 0.0429,
]

export const firstNameWeights: readonly number[] = [
  4.8943, 2.8124, -1.0954, -3.4273, -3.2121, -2.2304, -2.1358, -0.3009, 1.3475, -4.0034, -0.389,
  -0.0549, -0.0671, 1.8419, 0.834, 0.1885, 0.5547, -0.2023, 0.9409, 1.0919, 0.0077,
]
