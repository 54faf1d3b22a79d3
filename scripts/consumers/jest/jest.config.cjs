// As docs/guide.md has it, under "Jest with CommonJS".
module.exports = {
  preset: 'ts-jest/presets/js-with-ts',
  transformIgnorePatterns: ['/node_modules/(?!(?:keyward|jose)/)'],
};
