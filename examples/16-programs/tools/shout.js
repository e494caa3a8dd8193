// Each word is an argument of its own, whatever is in it.
const words = process.argv.slice(2).filter((word) => word !== '--');
console.log(words.map((word) => word.toUpperCase()).join(' '));
