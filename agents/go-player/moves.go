package main

import "math/rand"

// What the player does when it is asked: replace this file with your own play.
var games = map[string]func(context map[string]any, chance *rand.Rand) map[string]any{
	"even_odd": func(_ map[string]any, chance *rand.Rand) map[string]any {
		return map[string]any{"choice": []string{"even", "odd"}[chance.Intn(2)]}
	},
	"rock_paper_scissors": func(_ map[string]any, chance *rand.Rand) map[string]any {
		return map[string]any{"hand": []string{"rock", "paper", "scissors"}[chance.Intn(3)]}
	},
	"tic_tac_toe": ticTacToe,
}

var lines = [][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}

// Wins where it can, prevents it where it must, and otherwise takes any free field.
func ticTacToe(context map[string]any, chance *rand.Rand) map[string]any {
	board := fields(context)
	mine, _ := context["your_mark"].(string)
	theirs := "X"
	if mine == "X" {
		theirs = "O"
	}
	for _, mark := range []string{mine, theirs} {
		for field := range board {
			if board[field] == "" && completes(board, field, mark) {
				return place(field)
			}
		}
	}
	var free []int
	for field, mark := range board {
		if mark == "" {
			free = append(free, field)
		}
	}
	if len(free) == 0 {
		return map[string]any{}
	}
	return place(free[chance.Intn(len(free))])
}

func fields(context map[string]any) []string {
	var board []string
	rows, _ := context["board"].([]any)
	for _, row := range rows {
		marks, _ := row.([]any)
		for _, mark := range marks {
			text, _ := mark.(string)
			board = append(board, text)
		}
	}
	return board
}

func completes(board []string, field int, mark string) bool {
	if len(board) != 9 {
		return false
	}
	for _, line := range lines {
		mine, here := 0, false
		for _, other := range line {
			if other == field {
				here = true
			} else if board[other] == mark {
				mine++
			}
		}
		if here && mine == 2 {
			return true
		}
	}
	return false
}

func place(field int) map[string]any {
	return map[string]any{"row": field / 3, "col": field % 3}
}
