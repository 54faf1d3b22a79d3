/** The other side of `processes.js`: a program that is asked things by the command that started it. */

/** The settings that the program got at its start. */
export const given = JSON.parse(process.argv[2] ?? '{}');

/** Says what `begin` found, then answers each question by the function of its name. A failure is an answer too. */
export async function answer(begin, questions) {
  const say = async (find) => {
    try {
      process.send({ answer: await find() });
    } catch (error) {
      process.send({ error: String(error?.stack ?? error) });
    }
  };
  process.on('disconnect', () => process.exit());
  process.on('message', ({ question, details }) => say(() => questions[question](details)));
  await say(begin);
}
